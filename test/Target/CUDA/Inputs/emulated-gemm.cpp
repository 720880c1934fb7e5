// The kernel of examples/01_gemm.mlir against double precision; arguments are sizes.
#include KERNELS
#include <random>
int main(int argc, char **argv) {
  int M = atoi(argv[1]), N = atoi(argv[2]), K = atoi(argv[3]);
  std::mt19937 g(1);
  auto rnd = [&] { return (int(g() % 33) - 16) / 16.0f; };
  std::vector<hd::f16> A(M * K), B(N * K), C(M * N);
  for (auto &x : A)
    x = hd::convert<hd::f16>(rnd());
  for (auto &x : B)
    x = hd::convert<hd::f16>(rnd());
  for (auto &x : C)
    x.bits = 0xffff;
  auto map = [&](std::vector<hd::f16> &v, int r, int c, int br, int bc) {
    return emu::tensorMap({(char *)v.data(), 2, {c, r}, {2, c * 2}, {bc, br}, 2, 128});
  };
  auto a = map(A, M, K, 128, 64), b = map(B, N, K, 256, 64), c = map(C, M, N, 64, 64);
  unsigned grid = ((M + 127) / 128) * ((N + 255) / 256);
  emu::launch({grid, 1, 1}, 384, [&] { gemm(a, b, c, M, N, K); });
  double worst = 0;
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double s = 0;
      for (int k = 0; k < K; ++k)
        s += hd::toFloat(A[i * K + k]) * hd::toFloat(B[j * K + k]);
      double e = std::abs(s - hd::toFloat(C[i * N + j])) / (1 + std::abs(s));
      if (!(e <= worst))
        worst = e;
    }
  printf("gemm %d %d %d: worst %g\n", M, N, K, worst);
  return worst < 1e-3 ? 0 : 1;
}
