// One step of sound in a room, one work-item a column: it keeps the points above and below in registers.
float point(float l2, float loss1, float loss2, float around, float c, float previous, int neighbours) {
    float cf1 = neighbours < 6 ? loss1 : 1.0f;
    float cf2 = neighbours < 6 ? loss2 : 1.0f;
    return neighbours > 0 ? cf1 * ((2.0f - neighbours * l2) * c + l2 * around - cf2 * previous) : 0.0f;
}

__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void acousticColumns(global float *restrict output, int n, int m, int o, float l2, float loss1, float loss2,
                            const global float *restrict current, const global float *restrict previous,
                            const global int *restrict neighbours) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= o || y >= m)
        return;
    int row = o + 2;
    int plane = (m + 2) * row;
    int here = (y + 1) * row + x + 1;
    float above = current[here];
    float c = current[here + plane];
    for (int z = 0; z < n; z++) {
        here += plane;
        int i = (z * m + y) * o + x;
        float below = current[here + plane];
        float around = above + below + current[here - row] + current[here + row];
        around += current[here - 1] + current[here + 1];
        output[i] = point(l2, loss1, loss2, around, c, previous[i], neighbours[i]);
        above = c;
        c = below;
    }
}
