#pragma once
namespace mine {
__device__ inline float leaky(float x, float s) { return x > 0.0f ? x : s * x; }
}
