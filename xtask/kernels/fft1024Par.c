#include <math.h>

struct complex {
  float _1, _2;
};

static struct complex add(struct complex a, struct complex b) {
  return (struct complex){a._1 + b._1, a._2 + b._2};
}

static struct complex sub(struct complex a, struct complex b) {
  return (struct complex){a._1 - b._1, a._2 - b._2};
}

static struct complex mul(struct complex a, struct complex b) {
  return (struct complex){a._1 * b._1 - a._2 * b._2, a._1 * b._2 + a._2 * b._1};
}

static struct complex root(int n, int i) {
  const float angle = -6.2831853f * (float)i / (float)n;
  return (struct complex){cosf(angle), sinf(angle)};
}

static void stage(struct complex *restrict ys, int m, int s, const struct complex *restrict table,
                  const struct complex *restrict xs) {
  for (int p = 0; p < m; p++) {
    const struct complex w = table[p * s], w2 = mul(w, w), w3 = mul(w, w2);
    for (int q = 0; q < s; q++) {
      const struct complex a = xs[p * s + q], b = xs[(p + m) * s + q], c = xs[(p + 2 * m) * s + q],
                           d = xs[(p + 3 * m) * s + q];
      const struct complex evenSum = add(a, c), evenDifference = sub(a, c), oddSum = add(b, d), t = sub(b, d);
      const struct complex turned = {t._2, -t._1};
      struct complex *out = ys + 4 * p * s + q;
      out[0] = add(evenSum, oddSum);
      out[s] = mul(w, add(evenDifference, turned));
      out[2 * s] = mul(w2, sub(evenSum, oddSum));
      out[3 * s] = mul(w3, sub(evenDifference, turned));
    }
  }
}

void fft1024Par(struct complex *restrict output, int n, const struct complex *restrict signals) {
  struct complex table[1024];
  for (int i = 0; i < 1024; i++) table[i] = root(1024, i);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    struct complex even[1024], odd[1024];
    stage(even, 256, 1, table, signals + i * 1024);
    stage(odd, 64, 4, table, even);
    stage(even, 16, 16, table, odd);
    stage(odd, 4, 64, table, even);
    stage(output + i * 1024, 1, 256, table, odd);
  }
}
