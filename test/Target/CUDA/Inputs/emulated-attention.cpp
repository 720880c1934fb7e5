// The kernel of examples/02_attention.mlir against double precision; arguments are sizes.
#include KERNELS
#include <random>
int main(int argc, char **argv) {
  int B = atoi(argv[1]), H = atoi(argv[2]), S = atoi(argv[3]), T = atoi(argv[4]);
  const int D = 128;
  std::mt19937 g(1);
  auto rnd = [&] { return (int(g() % 33) - 16) / 8.0f; };
  std::vector<hd::f16> Q(B * H * S * D), K(B * H * T * D), V(B * H * T * D), O(B * H * S * D);
  std::vector<float> L(B * H * S, NAN);
  for (auto *m : {&Q, &K, &V})
    for (auto &x : *m)
      x = hd::convert<hd::f16>(rnd());
  for (auto &x : O)
    x.bits = 0xffff;
  auto map = [&](std::vector<hd::f16> &v, int s) {
    return emu::tensorMap({(char *)v.data(),
                           5,
                           {64, s, H, B, 2},
                           {2, D * 2, int64_t(s) * D * 2, int64_t(H) * s * D * 2, 128},
                           {64, 128, 1, 1, 2},
                           2,
                           128});
  };
  auto omap = emu::tensorMap({(char *)O.data(),
                              4,
                              {D, S, H, B},
                              {2, D * 2, int64_t(S) * D * 2, int64_t(H) * S * D * 2},
                              {64, 64, 1, 1},
                              2,
                              128});
  auto q = map(Q, S), k = map(K, T), v = map(V, T);
  float scale = 0.12751743f;
  emu::launch({unsigned((S + 127) / 128), unsigned(H), unsigned(B)}, 384,
              [&] { attention(q, k, v, omap, L.data(), B, H, S, H * S, S, T, scale); });
  double wo = 0, wl = 0;
  for (int b = 0; b < B * H; ++b)
    for (int i = 0; i < S; ++i) {
      std::vector<double> p(T);
      double m = -1e30, l = 0;
      for (int j = 0; j < T; ++j) {
        double s = 0;
        for (int d = 0; d < D; ++d)
          s += hd::toFloat(Q[(b * S + i) * D + d]) * hd::toFloat(K[(b * T + j) * D + d]);
        p[j] = s * scale;
        m = std::max(m, p[j]);
      }
      for (auto &x : p) {
        x = std::exp2(x - m);
        l += x;
      }
      double e = std::abs((m + std::log2(l)) * std::log(2.0) - L[b * S + i]);
      if (!(e <= wl))
        wl = e;
      for (int d = 0; d < D; ++d) {
        double o = 0;
        for (int j = 0; j < T; ++j)
          o += p[j] * hd::toFloat(V[(b * T + j) * D + d]);
        o /= l;
        double e = std::abs(o - hd::toFloat(O[(b * S + i) * D + d]));
        if (!(e <= wo))
          wo = e;
      }
    }
  printf("attention %d %d %d %d: worst O %g LSE %g\n", B, H, S, T, wo, wl);
  return wo < 2e-3 && wl < 1e-4 ? 0 : 1;
}
