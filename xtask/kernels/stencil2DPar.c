void stencil2DPar(float *restrict output, int n, int m, const float *restrict grid) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    const float *above = grid + i * (m + 2), *here = above + m + 2, *below = here + m + 2;
    for (int j = 0; j < m; j++)
      output[i * m + j] = (5.0f * above[j + 1] + 12.0f * here[j] + 15.0f * here[j + 1] + 12.0f * here[j + 2] +
                           5.0f * below[j + 1]) /
                          118.0f;
  }
}
