void floydWarshall_reference(float *restrict output, int n, int k, const float *restrict paths)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            float detour = paths[i * n + k] + paths[k * n + j];
            output[i * n + j] = paths[i * n + j] < detour ? paths[i * n + j] : detour;
        }
    }
}
