// The squared magnitude of k complex numbers: one work-item a number.

kernel void mriqPhiMag(global float *restrict output, int k, global const float *restrict real,
                       global const float *restrict imaginary) {
  int i = get_global_id(0);
  output[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}
