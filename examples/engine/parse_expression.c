/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * parse_expression.c - expressions, by precedence climbing.
 */
#include <string.h>

#include "ast.h"
#include "code.h"
#include "lexer.h"
#include "vm.h"

typedef struct arena {
  struct arena *older;
  uint32_t used;
  node nodes[64];
} arena;

node *node_new(int kind ENGINE_DC) {
  arena *a = CG(arena);
  if (!a || a->used == sizeof a->nodes / sizeof *a->nodes) {
    a = emallocts(sizeof *a ENGINE_CC);
    a->older = CG(arena);
    a->used = 0;
    CG(arena) = a;
  }
  node *n = &a->nodes[a->used++];
  *n = (node){.kind = (uint8_t)kind, .line = LG(line)};
  return n;
}

void arena_free(ENGINE_D) {
  while (CG(arena)) {
    arena *a = CG(arena);
    CG(arena) = a->older;
    efreets(a ENGINE_CC);
  }
}

bool token_is(int token ENGINE_DC) { return LG(token) == token; }

bool token_is_word(const char *word ENGINE_DC) {
  return LG(token) == TOKEN_NAME && LG(length) == strlen(word) && !memcmp(LG(text), word, LG(length));
}

bool token_is_operator(const char *text ENGINE_DC) {
  int third = text[2] ? text[2] : 0;
  return LG(token) == TOKEN_OPERATOR && LG(integer) == TOKEN_TRIPLE(text[0], text[1], third);
}

bool accept(int token ENGINE_DC) {
  if (!token_is(token ENGINE_CC))
    return false;
  lexer_next(ENGINE_C);
  return true;
}

bool accept_word(const char *word ENGINE_DC) {
  if (!token_is_word(word ENGINE_CC))
    return false;
  lexer_next(ENGINE_C);
  return true;
}

bool accept_operator(const char *text ENGINE_DC) {
  if (!token_is_operator(text ENGINE_CC))
    return false;
  lexer_next(ENGINE_C);
  return true;
}

void expect(int token ENGINE_DC) {
  char message[] = "'?' expected";
  message[1] = (char)token;
  if (!accept(token ENGINE_CC))
    vm_compile_error(message ENGINE_CC);
}

str *expect_name(int token ENGINE_DC) {
  if (!token_is(token ENGINE_CC))
    vm_compile_error(token == TOKEN_VARIABLE ? "a variable expected" : "a name expected" ENGINE_CC);
  str *s = str_new(LG(text), LG(length) ENGINE_CC);
  lexer_next(ENGINE_C);
  return s;
}

static node *literal(value v ENGINE_DC) {
  node *n = node_new(N_LITERAL ENGINE_CC);
  value_put(&n->literal, v);
  return n;
}

node *parse_list(int close ENGINE_DC) {
  node *list = NULL, **tail = &list;
  while (!accept(close ENGINE_CC)) {
    list_add(&tail, parse_expression(ENGINE_C));
    if (!token_is(close ENGINE_CC))
      expect(',' ENGINE_CC);
  }
  return list;
}

static node *array(ENGINE_D) {
  node *n = node_new(N_ARRAY ENGINE_CC), **tail = &n->list;
  while (!accept(']' ENGINE_CC)) {
    node *element = node_new(N_ELEMENT ENGINE_CC);
    element->a = parse_expression(ENGINE_C);
    if (accept_operator("=>" ENGINE_CC)) {
      element->b = element->a;
      element->a = parse_expression(ENGINE_C);
    }
    list_add(&tail, element);
    if (!token_is(']' ENGINE_CC))
      expect(',' ENGINE_CC);
  }
  return n;
}

static node *wrapped(int kind ENGINE_DC) {
  node *n = node_new(kind ENGINE_CC);
  expect('(' ENGINE_CC);
  n->a = parse_expression(ENGINE_C);
  expect(')' ENGINE_CC);
  return n;
}

/* A class's name was read, and the :: behind it. */
static node *member(str *class ENGINE_DC) {
  node *n;
  if (token_is(TOKEN_VARIABLE ENGINE_CC)) {
    n = node_new(N_STATIC ENGINE_CC);
    n->name = expect_name(TOKEN_VARIABLE ENGINE_CC);
  } else {
    n = node_new(N_CLASS_CONSTANT ENGINE_CC);
    n->name = expect_name(TOKEN_NAME ENGINE_CC);
    if (accept('(' ENGINE_CC)) {
      n->kind = N_STATIC_CALL;
      n->list = parse_list(')' ENGINE_CC);
    }
  }
  n->class = class;
  return n;
}

static node *named(ENGINE_D) {
  if (accept_word("isset" ENGINE_CC))
    return wrapped(N_ISSET ENGINE_CC);
  if (accept_word("empty" ENGINE_CC))
    return wrapped(N_EMPTY ENGINE_CC);
  if (accept_word("null" ENGINE_CC))
    return literal(value_null ENGINE_CC);
  if (accept_word("true" ENGINE_CC))
    return literal(value_of_bool(true) ENGINE_CC);
  if (accept_word("false" ENGINE_CC))
    return literal(value_of_bool(false) ENGINE_CC);
  if (accept_word("new" ENGINE_CC)) {
    node *n = node_new(N_NEW ENGINE_CC);
    n->class = expect_name(TOKEN_NAME ENGINE_CC);
    if (accept('(' ENGINE_CC))
      n->list = parse_list(')' ENGINE_CC);
    return n;
  }
  str *name = expect_name(TOKEN_NAME ENGINE_CC);
  if (accept_operator("::" ENGINE_CC))
    return member(name ENGINE_CC);
  bool call = token_is('(' ENGINE_CC);
  node *n = node_new(call ? N_CALL : N_CONSTANT ENGINE_CC);
  n->name = name;
  if (call) {
    lexer_next(ENGINE_C);
    n->list = parse_list(')' ENGINE_CC);
  }
  return n;
}

static node *primary(ENGINE_D) {
  node *n;
  switch (LG(token)) {
  case TOKEN_INTEGER:
    n = literal(value_of_int(LG(integer)) ENGINE_CC);
    lexer_next(ENGINE_C);
    return n;
  case TOKEN_REAL:
    n = literal(value_of_double(LG(real)) ENGINE_CC);
    lexer_next(ENGINE_C);
    return n;
  case TOKEN_STRING:
    n = literal(value_of_str(lexer_string(ENGINE_C)) ENGINE_CC);
    lexer_next(ENGINE_C);
    return n;
  case TOKEN_VARIABLE:
    n = node_new(N_VARIABLE ENGINE_CC);
    n->name = expect_name(TOKEN_VARIABLE ENGINE_CC);
    return n;
  case TOKEN_NAME:
    return named(ENGINE_C);
  case '(':
    lexer_next(ENGINE_C);
    n = parse_expression(ENGINE_C);
    expect(')' ENGINE_CC);
    return n;
  case '[':
    lexer_next(ENGINE_C);
    return array(ENGINE_C);
  default:
    vm_compile_error("an expression expected" ENGINE_CC);
  }
}

static node *step(node *place, bool increment, bool before ENGINE_DC) {
  node *n = node_new(N_STEP ENGINE_CC);
  n->a = place;
  n->flag = (uint8_t)(increment | before << 1);
  return n;
}

static node *postfix(ENGINE_D) {
  node *base = primary(ENGINE_C);
  for (;;) {
    node *n;
    if (accept('[' ENGINE_CC)) {
      n = node_new(N_DIM ENGINE_CC);
      n->a = base;
      if (!accept(']' ENGINE_CC)) {
        n->b = parse_expression(ENGINE_C);
        expect(']' ENGINE_CC);
      }
    } else if (accept_operator("->" ENGINE_CC)) {
      n = node_new(N_PROPERTY ENGINE_CC);
      n->a = base;
      n->name = expect_name(TOKEN_NAME ENGINE_CC);
      if (accept('(' ENGINE_CC)) {
        n->kind = N_METHOD;
        n->list = parse_list(')' ENGINE_CC);
      }
    } else if (accept_operator("++" ENGINE_CC)) {
      n = step(base, true, false ENGINE_CC);
    } else if (accept_operator("--" ENGINE_CC)) {
      n = step(base, false, false ENGINE_CC);
    } else {
      return base;
    }
    base = n;
  }
}

static node *unary(ENGINE_D) {
  if (accept_operator("++" ENGINE_CC))
    return step(unary(ENGINE_C), true, true ENGINE_CC);
  if (accept_operator("--" ENGINE_CC))
    return step(unary(ENGINE_C), false, true ENGINE_CC);
  if (accept('!' ENGINE_CC)) {
    node *n = node_new(N_NOT ENGINE_CC);
    n->a = unary(ENGINE_C);
    return n;
  }
  if (accept('-' ENGINE_CC)) {
    node *operand = unary(ENGINE_C);
    if (operand->kind == N_LITERAL && operand->literal.type == T_INT) {
      operand->literal.u.i = -operand->literal.u.i;
      return operand;
    }
    if (operand->kind == N_LITERAL && operand->literal.type == T_DOUBLE) {
      operand->literal.u.d = -operand->literal.u.d;
      return operand;
    }
    node *n = node_new(N_BINARY ENGINE_CC);
    n->op = OP_SUB;
    n->a = literal(value_of_int(0) ENGINE_CC);
    n->b = operand;
    return n;
  }
  return postfix(ENGINE_C);
}

typedef struct infix {
  char text[4];
  uint8_t strength, kind, op, swapped;
} infix;

static const infix infixes[] = {
    {"||", 1, N_OR, 0, 0},
    {"&&", 2, N_AND, 0, 0},
    {"|", 3, N_BINARY, OP_BOR, 0},
    {"^", 4, N_BINARY, OP_BXOR, 0},
    {"&", 5, N_BINARY, OP_BAND, 0},
    {"==", 6, N_BINARY, OP_EQ, 0},
    {"!=", 6, N_BINARY, OP_NE, 0},
    {"===", 6, N_BINARY, OP_IDENTICAL, 0},
    {"!==", 6, N_BINARY, OP_NOT_IDENTICAL, 0},
    {"<", 7, N_BINARY, OP_LT, 0},
    {"<=", 7, N_BINARY, OP_LE, 0},
    {">", 7, N_BINARY, OP_LT, 1},
    {">=", 7, N_BINARY, OP_LE, 1},
    {"<<", 8, N_BINARY, OP_SHL, 0},
    {">>", 8, N_BINARY, OP_SHR, 0},
    {"+", 9, N_BINARY, OP_ADD, 0},
    {"-", 9, N_BINARY, OP_SUB, 0},
    {".", 9, N_BINARY, OP_CONCAT, 0},
    {"*", 10, N_BINARY, OP_MUL, 0},
    {"/", 10, N_BINARY, OP_DIV, 0},
    {"%", 10, N_BINARY, OP_MOD, 0},
};

static const infix *present_infix(ENGINE_D) {
  for (size_t i = 0; i < sizeof infixes / sizeof *infixes; i++)
    if (infixes[i].text[1] ? token_is_operator(infixes[i].text ENGINE_CC) : token_is(infixes[i].text[0] ENGINE_CC))
      return &infixes[i];
  return NULL;
}

static node *binary(int least ENGINE_DC) {
  node *left = unary(ENGINE_C);
  const infix *in;
  while ((in = present_infix(ENGINE_C)) && in->strength >= least) {
    lexer_next(ENGINE_C);
    node *n = node_new(in->kind ENGINE_CC);
    node *right = binary(in->strength + 1 ENGINE_CC);
    n->op = in->op;
    n->flag = in->swapped;
    n->a = left;
    n->b = right;
    left = n;
  }
  return left;
}

static node *ternary(ENGINE_D) {
  node *condition = binary(1 ENGINE_CC);
  bool brief = accept_operator("?:" ENGINE_CC);
  if (!brief && !accept('?' ENGINE_CC))
    return condition;
  node *n = node_new(N_TERNARY ENGINE_CC);
  n->a = condition;
  if (!brief) {
    n->b = parse_expression(ENGINE_C);
    expect(':' ENGINE_CC);
  }
  n->c = ternary(ENGINE_C);
  return n;
}

node *parse_expression(ENGINE_D) {
  static const struct {
    char text[4];
    uint8_t op;
  } assignments[] = {{"+=", OP_ADD}, {"-=", OP_SUB}, {"*=", OP_MUL}, {"/=", OP_DIV}, {".=", OP_CONCAT}, {"%=", OP_MOD}};
  node *left = ternary(ENGINE_C), *n;
  if (accept('=' ENGINE_CC)) {
    n = node_new(N_ASSIGN ENGINE_CC);
  } else if (accept_operator("=&" ENGINE_CC)) {
    n = node_new(N_ASSIGN_REF ENGINE_CC);
  } else {
    size_t i = 0;
    while (i < 6 && !token_is_operator(assignments[i].text ENGINE_CC))
      i++;
    if (i == 6)
      return left;
    lexer_next(ENGINE_C);
    n = node_new(N_ASSIGN_OP ENGINE_CC);
    n->op = assignments[i].op;
  }
  n->a = left;
  n->b = parse_expression(ENGINE_C);
  return n;
}
