#include <math.h>

typedef struct { float _1; float _2; } pair_f32_f32;
typedef struct { float _1; pair_f32_f32 _2; } pair_f32_pair_f32_f32;

void nbody_reference(
    pair_f32_pair_f32_f32 *restrict output, int n, float epsilon,
    const float *restrict xs, const float *restrict ys, const float *restrict zs,
    const float *restrict masses)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float ax = 0.0f;
        float ay = 0.0f;
        float az = 0.0f;
        for (int j = 0; j < n; j++) {
            float dx = xs[j] - xs[i];
            float dy = ys[j] - ys[i];
            float dz = zs[j] - zs[i];
            float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + epsilon);
            float factor = masses[j] * inverse * inverse * inverse;
            ax += factor * dx;
            ay += factor * dy;
            az += factor * dz;
        }
        output[i]._1 = ax;
        output[i]._2._1 = ay;
        output[i]._2._2 = az;
    }
}
