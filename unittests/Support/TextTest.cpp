//===- TextTest.cpp -------------------------------------------------------===//
#include "heddle/Support/Text.h"

#include <gtest/gtest.h>

using namespace heddle;

TEST(XmlText, MarkupIsEscaped) { EXPECT_EQ(xmlText("a<b> & \"c\"\n"), "a&lt;b&gt; &amp; &quot;c&quot;\n"); }

TEST(XmlText, OnlyCharactersThatXmlHolds) {
  EXPECT_EQ(xmlText("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x99\x82"), "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x99\x82");
  EXPECT_EQ(xmlText(std::string("a\0b\x1b\x7f", 5)), "a?b??");
  EXPECT_EQ(xmlText("\xff\xfe"), "??");           // no first byte
  EXPECT_EQ(xmlText("\xc3"), "?");                // cut
  EXPECT_EQ(xmlText("\xc0\xaf"), "??");           // a longer form of '/'
  EXPECT_EQ(xmlText("\xed\xa0\x80"), "???");      // a surrogate
  EXPECT_EQ(xmlText("\xf4\x90\x80\x80"), "????"); // beyond Unicode
}
