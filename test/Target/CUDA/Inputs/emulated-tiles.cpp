// The kernels of emulated-tiles.mlir against plain loops.
#include KERNELS

#include "heddle_emulation/Emulator.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

/// The emulator refuses accesses outside the tensors that it knows.
template <class T> struct GlobalMemory {
  using value_type = T;
  T *allocate(size_t n) {
    return reinterpret_cast<T *>(heddle::emulation::allocateGlobal("test", n * sizeof(T), true));
  }
  void deallocate(T *, size_t) {}
};
template <class T> using Vector = std::vector<T, GlobalMemory<T>>;

template <class T> struct Matrix {
  int rows, cols, stride;
  Vector<T> data;
  Matrix(int rows, int cols, int pad = 0) : rows(rows), cols(cols), stride(cols + pad), data(rows * (cols + pad)) {}
  T &operator()(int r, int c) { return data[r * stride + c]; }
  T *ptr() { return data.data(); }
  /// Zero outside, as views read.
  float get(int r, int c) { return r >= 0 && r < rows && c >= 0 && c < cols ? hd::toFloat((*this)(r, c)) : 0.0f; }
};

static void run(const std::function<void()> &kernel) {
  heddle::emulation::launch({{1, 1, 1}, 128, 227 * 1024, 0}, kernel);
}

static std::mt19937 random_(7);
template <class T> void fill(Matrix<T> &m) {
  for (T &x : m.data)
    x = hd::convert<T>(static_cast<float>(static_cast<int>(random_() % 65) - 32) / 16.0f);
}

static bool bad = false;
static void expect(const char *what, int r, int c, double got, double want, double tolerance = 1e-5) {
  if (std::abs(got - want) <= tolerance * std::max(1.0, std::abs(want)) || bad)
    return;
  bad = true;
  std::printf("%s at %d, %d: expected %g, got %g\n", what, r, c, want, got);
}
static void report(const char *name) {
  std::printf("%s %s\n", name, bad ? "WRONG" : "ok");
  bad = false;
}
#define SIZES(m) m.rows, m.cols, m.stride

static void testEpilogue() {
  Matrix<hd::f16> x(50, 64, 8), w(64, 96), y(50, 90, 6);
  Matrix<float> b(1, 96), r(1, 64), c(1, 96);
  fill(x), fill(w), fill(b);
  for (float &v : b.data)
    v += 3.0f;
  run([&] {
    epilogue(w.ptr(), SIZES(w), x.ptr(), SIZES(x), b.ptr(), 96, r.ptr(), 64, c.ptr(), 96, y.ptr(), SIZES(y));
  });
  std::vector<float> most(96, 0.0f);
  for (int i = 0; i < 64; ++i) {
    float row[96], sum = 0;
    for (int j = 0; j < 96; ++j) {
      row[j] = b(0, j);
      for (int k = 0; k < 64; ++k)
        row[j] += x.get(i, k) * w.get(k, j);
      row[j] = std::max(row[j], 0.0f);
      sum += row[j];
      most[j] = std::max(most[j], row[j]);
    }
    expect("row sum", i, 0, r(0, i), sum);
    for (int j = 0; j < 90 && i < 50; ++j)
      expect("y", i, j, y.get(i, j), row[j] / sum, 1e-3);
  }
  for (int j = 0; j < 96; ++j)
    expect("column maximum", 0, j, c(0, j), most[j]);
  for (int i = 0; i < 50; ++i)
    for (int j = 90; j < 96; ++j)
      expect("outside", i, j, y(i, j).bits, 0);
  report("epilogue");
}

static void testFp8() {
  Matrix<float> q(64, 64), k(64, 64), o(64, 64);
  fill(q), fill(k);
  auto e4m3 = [](float x) { return hd::toFloat(hd::convert<hd::e4m3>(x)); };
  run([&] { fp8(q.ptr(), SIZES(q), k.ptr(), SIZES(k), o.ptr(), SIZES(o), 0.125f); });
  for (int i = 0; i < 64; ++i) {
    float p[64];
    for (int j = 0; j < 64; ++j) {
      float s = 0;
      for (int d = 0; d < 64; ++d)
        s += e4m3(q(i, d)) * e4m3(k(j, d));
      p[j] = e4m3(s * 0.125f);
    }
    for (int d = 0; d < 64; ++d) {
      float want = 0;
      for (int j = 0; j < 64; ++j)
        want += p[j] * e4m3(k(d, j)); // the same transposed tile: element (contraction j, column d) is k(d, j)
      expect("o", i, d, o(i, d), want);
    }
  }
  report("fp8");
}

static void testRoundtrip() {
  Matrix<float> x(200, 60, 4), y(40, 128), s(120, 33, 3);
  Matrix<hd::bf16> h(60, 128), z(32, 64);
  fill(x), fill(h), fill(s);
  Matrix<float> before = s;
  run([&] {
    roundtrip(x.ptr(), SIZES(x), h.ptr(), SIZES(h), y.ptr(), SIZES(y), z.ptr(), SIZES(z), s.ptr(), SIZES(s), 100, 30);
  });
  for (int i = 0; i < 128; ++i)
    for (int j = 0; j < 40; ++j) {
      expect("y", j, i, y(j, i), x.get(100 + i, 30 + j));
      if (i < 120 && j < 33)
        expect("s", i, j, s(i, j), before(i, j) + x.get(100 + i, 30 + j));
    }
  for (int i = 0; i < 32; ++i)
    for (int j = 0; j < 64; ++j)
      expect("z", i, j, z.get(i, j), 2 * h.get(32 + i, 64 + j));
  report("roundtrip");
}

static void testParts() {
  Matrix<hd::f16> x(128, 32), w(32, 80);
  Matrix<float> y(128, 80), r(1, 128), c(1, 80);
  fill(x), fill(w);
  run([&] { parts(x.ptr(), SIZES(x), w.ptr(), SIZES(w), y.ptr(), SIZES(y), r.ptr(), 128, c.ptr(), 80); });
  std::vector<double> sum(80, 0.0);
  for (int i = 0; i < 128; ++i) {
    float most = -INFINITY;
    for (int j = 0; j < 80; ++j) {
      float d = 0;
      for (int k = 0; k < 32; ++k)
        d += x.get(i, k) * w.get(k, j);
      d = i >= j + 16 ? d : -1.5f;
      expect("y", i, j, y(i, j), d);
      most = std::max(most, d);
      sum[j] += d;
    }
    expect("row maximum", i, 0, r(0, i), most);
  }
  for (int j = 0; j < 80; ++j)
    expect("column sum", 0, j, c(0, j), sum[j], 1e-4);
  report("parts");
}

static void testVectors() {
  Matrix<hd::f16> x(1, 7), y(1, 7);
  Vector<int> i(96), j(96);
  Matrix<float> t(96, 96);
  fill(x);
  for (int &v : i)
    v = static_cast<int>(random_() % 1000) - 500;
  run([&] { vectors(x.ptr(), 7, y.ptr(), 7, i.data(), 96, j.data(), 96, t.ptr(), SIZES(t), 40); });
  int least = *std::min_element(i.begin(), i.end());
  for (int k = 0; k < 7; ++k)
    expect("y", 0, k, y.get(0, k), hd::toFloat(hd::convert<hd::f16>(x.get(0, k) * x.get(0, k))));
  for (int a = 0; a < 96; ++a) {
    expect("j", 0, a, j[a], i[a] - least);
    for (int b = 0; b < 96; ++b)
      expect("t", a, b, t(a, b), i[a] - i[b]);
  }
  report("vectors");
}

int main() {
  testEpilogue();
  testFp8();
  testRoundtrip();
  testParts();
  testVectors();
}
