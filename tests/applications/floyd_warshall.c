void floydWarshall_reference(float *restrict output, int n, const float *restrict paths)
{
    #pragma omp parallel for
    for (int i = 0; i < n * n; i++)
        output[i] = paths[i];

    for (int k = 0; k < n; k++) {
        #pragma omp parallel for
        for (int i = 0; i < n; i++) {
            if (i == k)
                continue;
            float to_pivot = output[i * n + k];
            for (int j = 0; j < n; j++) {
                float detour = to_pivot + output[k * n + j];
                output[i * n + j] = output[i * n + j] < detour ? output[i * n + j] : detour;
            }
        }
    }
}
