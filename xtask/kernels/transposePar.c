void transposePar(float *restrict output, int n, int m, const float *restrict a) {
#pragma omp parallel for
  for (int it = 0; it < n; it += 8)
    for (int jt = 0; jt < m; jt += 8)
      for (int i = it; i < it + 8; i++)
        for (int j = jt; j < jt + 8; j++) output[j * n + i] = a[i * m + j];
}
