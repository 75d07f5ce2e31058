void scalVectors(float *restrict output, int n, float alpha, const float *restrict xs) {
  for (int i = 0; i < n; i++) output[i] = alpha * xs[i];
}
