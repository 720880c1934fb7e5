// The kernel of examples/19_attention_backward.mlir against double precision; arguments are sizes.
#include KERNELS
#include <random>
int main(int argc, char **argv) {
  int B = atoi(argv[1]), H = atoi(argv[2]), S = atoi(argv[3]), T = atoi(argv[4]);
  const int D = 128;
  std::mt19937 g(1);
  auto rnd = [&] { return (int(g() % 33) - 16) / 8.0f; };
  std::vector<hd::f16> Q(B * H * S * D), dO(Q), K(B * H * T * D), V(K), dK(K), dV(K);
  std::vector<float> dQ(Q.size()), L(B * H * S), Delta(L);
  for (auto *m : {&Q, &K, &V, &dO})
    for (auto &x : *m)
      x = hd::convert<hd::f16>(rnd());
  for (auto *m : {&dK, &dV})
    for (auto &x : *m)
      x.bits = 0xffff;
  auto at = [](const std::vector<hd::f16> &m, int row, int d) { return double(hd::toFloat(m[row * D + d])); };
  double scale = 0.088388346f;
  std::vector<double> wantQ(Q.size()), wantK(K.size()), wantV(K.size());
  for (int b = 0; b < B * H; ++b)
    for (int i = b * S; i < (b + 1) * S; ++i) {
      std::vector<double> p(T), o(D);
      double sum = 0, delta = 0;
      for (int j = 0; j < T; ++j) {
        for (int d = 0; d < D; ++d)
          p[j] += scale * at(Q, i, d) * at(K, b * T + j, d);
        sum += p[j] = std::exp(p[j]);
      }
      for (int j = 0; j < T; ++j)
        for (int d = 0; d < D; ++d)
          o[d] += (d ? p[j] : p[j] /= sum) * at(V, b * T + j, d);
      for (int d = 0; d < D; ++d)
        delta += o[d] * at(dO, i, d);
      L[i] = std::log(sum);
      Delta[i] = delta;
      for (int j = 0; j < T; ++j) {
        double through = 0;
        for (int d = 0; d < D; ++d)
          through += at(dO, i, d) * at(V, b * T + j, d);
        double ds = scale * p[j] * (through - delta);
        for (int d = 0; d < D; ++d) {
          wantQ[i * D + d] += ds * at(K, b * T + j, d);
          wantK[(b * T + j) * D + d] += ds * at(Q, i, d);
          wantV[(b * T + j) * D + d] += p[j] * at(dO, i, d);
        }
      }
    }
  auto in = [&](std::vector<hd::f16> &v, int s, int rows) {
    return emu::tensorMap({(char *)v.data(), 5, {64, s, H, B, 2}, {2, D * 2, int64_t(s) * D * 2, int64_t(H) * s * D * 2, 128}, {64, rows, 1, 1, 2}, 2, 128});
  };
  auto out = [&](void *p, int s, int width, int bytes) {
    return emu::tensorMap({(char *)p, 4, {D, s, H, B}, {bytes, D * bytes, int64_t(s) * D * bytes, int64_t(H) * s * D * bytes}, {width, 64, 1, 1}, bytes, 128});
  };
  auto k = in(K, T, 128), v = in(V, T, 128), q = in(Q, S, 64), go = in(dO, S, 64);
  auto dq = out(dQ.data(), S, 32, 4), dk = out(dK.data(), T, 64, 2), dv = out(dV.data(), T, 64, 2);
  emu::launch({unsigned((T + 127) / 128), unsigned(H), unsigned(B)}, 384, [&] {
    attention_backward(k, v, q, go, dq, dk, dv, L.data(), B, H, S, H * S, S, Delta.data(), H * S, S, T, scale);
  });
  auto error = [](size_t n, const std::vector<double> &want, auto got) {
    double off = 0, norm = 0;
    for (size_t i = 0; i < n; ++i)
      off += (got(i) - want[i]) * (got(i) - want[i]), norm += want[i] * want[i];
    return norm ? std::sqrt(off / norm) : off; // with one key dQ and dK are zero
  };
  double eq = error(dQ.size(), wantQ, [&](size_t i) { return double(dQ[i]); }),
         ek = error(dK.size(), wantK, [&](size_t i) { return double(hd::toFloat(dK[i])); }),
         ev = error(dV.size(), wantV, [&](size_t i) { return double(hd::toFloat(dV[i])); });
  printf("attention backward %d %d %d %d: error dQ %g dK %g dV %g\n", B, H, S, T, eq, ek, ev);
  return eq < 2e-3 && ek < 2e-3 && ev < 2e-3 ? 0 : 1;
}
