void scalPar(float *restrict output, int n, float alpha, const float *restrict xs) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) output[i] = alpha * xs[i];
}
