// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// deletes.cpp SHAPE - sized operator delete, as compilers call it since C++14: with the right size, or with another one.
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <vector>

struct Base {
  char Bytes[40];
};
struct Derived : Base {
  char More[40];
};
struct alignas(64) Wide {
  char Bytes[200];
};

int main(int Count, char **Words) {
  const char *Shape = Count > 1 ? Words[1] : "";
  if (strcmp(Shape, "size") == 0) {
    Base *volatile B = new Derived;
    delete B;
  } else if (strcmp(Shape, "array") == 0) {
    ::operator delete[](::operator new[](100), std::size_t(90));
  } else if (strcmp(Shape, "aligned") == 0) {
    ::operator delete(::operator new(200, std::align_val_t(64)), std::size_t(199), std::align_val_t(64));
  } else if (strcmp(Shape, "alignment") == 0) {
    ::operator delete(::operator new(200, std::align_val_t(64)), std::size_t(200), std::align_val_t(32));
  } else if (strcmp(Shape, "nothing") == 0) {
    Base *volatile B = new Base;
    delete B;
    delete new Wide;
    delete[] new std::string[7];
    std::vector<std::string> Strings;
    for (int I = 0; I < 1000; ++I)
      Strings.push_back(std::string(static_cast<std::size_t>(I), 'x'));
    std::vector<char> None;
    None.shrink_to_fit();
    ::operator delete(::operator new(0), std::size_t(0));
    puts("fine");
    return 0;
  }
  return 2;
}
