void stencil3DPar(float *restrict output, int n, int m, int o, const float *restrict grid) {
  const int line = o + 2, plane = (m + 2) * line;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      const float *here = grid + (i + 1) * plane + (j + 1) * line;
      const float *north = here - line, *south = here + line, *back = here - plane, *front = here + plane;
      float *out = output + (i * m + j) * o;
      for (int k = 0; k < o; k++)
        out[k] = 0.161f * here[k + 2] + 0.162f * here[k] + 0.163f * south[k + 1] + 0.164f * north[k + 1] +
                 0.165f * back[k + 1] + 0.166f * front[k + 1] - 1.67f * here[k + 1];
    }
}
