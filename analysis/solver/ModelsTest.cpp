// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ModelsTest.cpp - the models' format: what is accepted, what it means, where a fault is.
#include "solver/Models.h"
#include <gtest/gtest.h>

using namespace freehold;

namespace {

std::string faultOf(const char *Text) {
  Models M;
  return llvm::toString(M.add(Text, "x.yaml"));
}

TEST(Models, ReadsEffectsInOrder) {
  Models M;
  ASSERT_EQ(llvm::toString(M.add("- name: calloc\n"
                                 "  type: p(ii)\n"
                                 "  effects: [alloc r size=a0*a1 zeroed family=malloc rewritable]\n"
                                 "- name: strtol\n"
                                 "  aliases: [__isoc23_strtol, strtoul]\n"
                                 "  type: i(ppi)\n"
                                 "  effects: [reads a0, 'stores a0+? in *a1']\n"
                                 "- name: qsort\n"
                                 "  type: v(piif)\n"
                                 "  effects:\n"
                                 "    - calls a3(a0+?, a0+?)\n"
                                 "    - copies *a0 to *a0+?\n"
                                 "    - keeps a0 FH305\n",
                                 "x.yaml")),
            "");
  const Model *C = M.find("calloc", 2);
  ASSERT_TRUE(C);
  EXPECT_EQ(C->Effects[0].Kind, EffectKind::Alloc);
  EXPECT_EQ(C->Effects[0].A.K, Operand::Result);
  EXPECT_EQ(*C->Effects[0].SizeFactor, 1u);
  EXPECT_TRUE(C->Effects[0].Zeroed && C->Effects[0].Rewritable);
  const Model *S = M.find("__isoc23_strtol", 3);
  ASSERT_TRUE(S);
  EXPECT_EQ(S->Name, "strtol");
  EXPECT_TRUE(S->Effects[1].A.AnyOffset);
  EXPECT_TRUE(S->Effects[1].B.Deref);
  EXPECT_EQ(S->Effects[1].B.N, 1u);
  const Model *Q = M.find("qsort");
  ASSERT_TRUE(Q);
  EXPECT_EQ(Q->Effects[0].Args.size(), 2u);
  EXPECT_TRUE(Q->Effects[1].B.AnyOffset);
  EXPECT_EQ(Q->Effects[2].Code, 305);
}

TEST(Models, APrototypeThatDoesNotFitGivesNoModel) {
  Models M;
  ASSERT_EQ(llvm::toString(M.add("- {name: f, type: i(pp), effects: [nothing]}\n"
                                 "- {name: g, type: i(p.), effects: [format a0 args=1]}\n",
                                 "x.yaml")),
            "");
  EXPECT_TRUE(M.find("f", 2));
  EXPECT_FALSE(M.find("f", 1));
  EXPECT_FALSE(M.find("f", 3));
  EXPECT_TRUE(M.find("g", 1));
  EXPECT_TRUE(M.find("g", 4));
  EXPECT_FALSE(M.find("g", 0));
  EXPECT_FALSE(M.find("h", 0));
}

TEST(Models, SaysWhatNoEffectClasses) {
  Models M;
  ASSERT_EQ(llvm::toString(M.add("- {name: f, type: p(ppfidn.), effects: [reads a0, returns a1, exposes a4]}\n"
                                 "- {name: g, type: i(ip.), effects: [returns a0, 'stores a0 in *a1', dies ...]}\n"
                                 "- {name: h, type: v(), effects: [nothing]}\n",
                                 "x.yaml")),
            "");
  const Model *F = M.find("f", 6), *G = M.find("g", 2), *H = M.find("h", 0);
  ASSERT_TRUE(F && G && H);
  EXPECT_EQ(F->Exposed, (std::vector<unsigned>{1, 2, 3, 5})); // a1: what it leads to
  EXPECT_FALSE(F->ResultExternal);
  EXPECT_EQ(F->VariadicExposed, 6u);
  EXPECT_TRUE(G->Exposed.empty());
  EXPECT_FALSE(G->VariadicExposed);
  EXPECT_FALSE(H->ResultExternal || H->VariadicExposed);
}

TEST(Models, ReadsSizesAndCodes) {
  Models M;
  ASSERT_EQ(llvm::toString(M.add("- name: f\n"
                                 "  type: n(pip.)\n"
                                 "  effects: [bytes-out a0 size=16 FH305, bytes-in a0 size=a1, format a2 args=3 FH304]\n",
                                 "x.yaml")),
            "");
  const Model *F = M.find("f");
  ASSERT_TRUE(F);
  EXPECT_EQ(F->Effects[0].FixedSize, 16u);
  EXPECT_EQ(F->Effects[0].Code, 305);
  EXPECT_EQ(*F->Effects[1].Size, 1u);
  EXPECT_EQ(F->Effects[2].Code, 304);
}

TEST(Models, FaultsNameFileAndLine) {
  EXPECT_EQ(
      faultOf("- name: f\n  type: v(p)\n  effects:\n    - reads a0\n    - eats a0\n").rfind("x.yaml:5: unknown effect 'eats'", 0),
      0u);
  EXPECT_NE(faultOf("- name: f\n  type: p()\n  effects: [alloc r, writes *r]\n").find("of the result is r;"), std::string::npos);
  EXPECT_EQ(faultOf("- name: f\n  type: v(p)\n  effects: [reads b0]\n").rfind("x.yaml:3: expected an operand", 0), 0u);
  EXPECT_NE(faultOf("- name: f\n  type: v(p)\n  effects: [reads a1]\n").find("uses a1"), std::string::npos);
  EXPECT_NE(faultOf("- name: f\n  type: p\n  effects: [nothing]\n").find("not of the form"), std::string::npos);
  EXPECT_NE(faultOf("- name: f\n  type: v()\n  effects: []\n").find("no effects"), std::string::npos);
  EXPECT_NE(faultOf("- name: f\n  effects: [nothing]\n").find("type"), std::string::npos);
  EXPECT_NE(
      faultOf("- {name: f, type: v(), effects: [nothing]}\n- {name: f, type: v(), effects: [nothing]}\n").find("two models"),
      std::string::npos);
  EXPECT_NE(faultOf("- name: [\n"), "");
  EXPECT_NE(faultOf("- name: f\n  type: v(pp)\n  effects: [copies a0 to *a1]\n").find("place"), std::string::npos);
  EXPECT_NE(faultOf("- name: f\n  type: v(p)\n  effects: [reads a0 zeroed]\n").find("unexpected"), std::string::npos);
  EXPECT_NE(faultOf("- name: f\n  type: v(p)\n  effects: [bytes-in a0 size=0]\n").find("number of bytes"), std::string::npos);
  EXPECT_NE(faultOf("- name: f\n  type: v(pp)\n  effects: [dies a0 a2]\n").find("uses a2"), std::string::npos);
  EXPECT_NE(faultOf("- name: f\n  type: v(pp)\n  effects: [dies]\n").find("expected an operand"), std::string::npos);
}

} // namespace
