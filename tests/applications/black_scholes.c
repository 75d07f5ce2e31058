#include <math.h>

typedef struct { float _1; float _2; } pair_f32_f32;

static float normal(float d)
{
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float sum = k * (0.31938153f
        + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * d * d) * sum;
    return d > 0.0f ? 1.0f - tail : tail;
}

void blackScholes_reference(
    pair_f32_f32 *restrict output, int n, float rate, float volatility,
    const float *restrict prices, const float *restrict strikes, const float *restrict years)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float spread = volatility * sqrtf(years[i]);
        float d1 = (logf(prices[i] / strikes[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / spread;
        float d2 = d1 - spread;
        float n1 = normal(d1);
        float n2 = normal(d2);
        float discounted = strikes[i] * expf(-rate * years[i]);
        output[i]._1 = prices[i] * n1 - discounted * n2;
        output[i]._2 = discounted * (1.0f - n2) - prices[i] * (1.0f - n1);
    }
}
