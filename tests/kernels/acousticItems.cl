// One step of sound in a room, one work-item a point. current has a layer of points around the room.
float point(float l2, float loss1, float loss2, float around, float c, float previous, int neighbours) {
    float cf1 = neighbours < 6 ? loss1 : 1.0f;
    float cf2 = neighbours < 6 ? loss2 : 1.0f;
    return neighbours > 0 ? cf1 * ((2.0f - neighbours * l2) * c + l2 * around - cf2 * previous) : 0.0f;
}

__attribute__((reqd_work_group_size(32, 8, 1)))
kernel void acousticItems(global float *restrict output, int n, int m, int o, float l2, float loss1, float loss2,
                          const global float *restrict current, const global float *restrict previous,
                          const global int *restrict neighbours) {
    int x = get_global_id(0);
    int y = get_global_id(1);
    int z = get_global_id(2);
    if (x >= o || y >= m)
        return;
    int row = o + 2;
    int plane = (m + 2) * row;
    int here = (z + 1) * plane + (y + 1) * row + x + 1;
    int i = (z * m + y) * o + x;
    float around = current[here - plane] + current[here + plane] + current[here - row] + current[here + row]
                   + current[here - 1] + current[here + 1];
    output[i] = point(l2, loss1, loss2, around, current[here], previous[i], neighbours[i]);
}
