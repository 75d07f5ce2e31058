void chunkSumsParLocal(float *restrict output, int n, const float *restrict xs) {
#pragma omp parallel for
  for (int c = 0; c < n; c++) {
    float even[32], odd[16];
    const float *chunk = xs + c * 64;
    for (int i = 0; i < 32; i++) even[i] = chunk[2 * i] + chunk[2 * i + 1];
    for (int i = 0; i < 16; i++) odd[i] = even[2 * i] + even[2 * i + 1];
    for (int i = 0; i < 8; i++) even[i] = odd[2 * i] + odd[2 * i + 1];
    for (int i = 0; i < 4; i++) odd[i] = even[2 * i] + even[2 * i + 1];
    for (int i = 0; i < 2; i++) even[i] = odd[2 * i] + odd[2 * i + 1];
    output[c] = even[0] + even[1];
  }
}
