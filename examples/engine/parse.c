/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * parse.c - statements and declarations, by recursive descent.
 */
#include <string.h>

#include "ast.h"
#include "compile.h"
#include "lexer.h"
#include "vm.h"

static node *statement(ENGINE_D);

static node *block(ENGINE_D) {
  node *n = node_new(N_BLOCK ENGINE_CC), **tail = &n->list;
  expect('{' ENGINE_CC);
  while (!accept('}' ENGINE_CC)) {
    if (token_is(TOKEN_END ENGINE_CC))
      vm_compile_error("'}' expected" ENGINE_CC);
    node *s = statement(ENGINE_C);
    if (s)
      list_add(&tail, s);
  }
  return n;
}

static node *condition(ENGINE_D) {
  expect('(' ENGINE_CC);
  node *n = parse_expression(ENGINE_C);
  expect(')' ENGINE_CC);
  return n;
}

static node *variables(node *n ENGINE_DC) {
  node **tail = &n->list;
  do {
    node *v = node_new(N_VARIABLE ENGINE_CC);
    v->name = expect_name(TOKEN_VARIABLE ENGINE_CC);
    list_add(&tail, v);
  } while (accept(',' ENGINE_CC));
  expect(';' ENGINE_CC);
  return n;
}

static node *for_statement(ENGINE_D) {
  node *n = node_new(N_FOR ENGINE_CC);
  expect('(' ENGINE_CC);
  n->a = parse_list(';' ENGINE_CC);
  n->b = parse_list(';' ENGINE_CC);
  n->c = parse_list(')' ENGINE_CC);
  n->list = statement(ENGINE_C);
  return n;
}

static node *foreach_statement(ENGINE_D) {
  node *n = node_new(N_FOREACH ENGINE_CC);
  expect('(' ENGINE_CC);
  n->a = parse_expression(ENGINE_C);
  if (!accept_word("as" ENGINE_CC))
    vm_compile_error("'as' expected" ENGINE_CC);
  n->b = node_new(N_VARIABLE ENGINE_CC);
  n->b->name = expect_name(TOKEN_VARIABLE ENGINE_CC);
  if (accept_operator("=>" ENGINE_CC)) {
    n->c = n->b;
    n->b = node_new(N_VARIABLE ENGINE_CC);
    n->b->name = expect_name(TOKEN_VARIABLE ENGINE_CC);
  }
  expect(')' ENGINE_CC);
  n->list = statement(ENGINE_C);
  return n;
}

static node *constant(ENGINE_D) {
  node *n = node_new(N_CONST ENGINE_CC);
  n->name = expect_name(TOKEN_NAME ENGINE_CC);
  expect('=' ENGINE_CC);
  n->a = parse_expression(ENGINE_C);
  expect(';' ENGINE_CC);
  return n;
}

static node *function_declaration(ENGINE_D) {
  node *n = node_new(N_FUNCTION ENGINE_CC), **tail = &n->list;
  n->name = expect_name(TOKEN_NAME ENGINE_CC);
  expect('(' ENGINE_CC);
  while (!accept(')' ENGINE_CC)) {
    node *p = node_new(N_PARAMETER ENGINE_CC);
    p->flag = accept('&' ENGINE_CC);
    p->name = expect_name(TOKEN_VARIABLE ENGINE_CC);
    list_add(&tail, p);
    if (!token_is(')' ENGINE_CC))
      expect(',' ENGINE_CC);
  }
  n->a = block(ENGINE_C);
  return n;
}

static node *class_declaration(ENGINE_D) {
  node *n = node_new(N_CLASS ENGINE_CC), **tail = &n->list;
  n->name = expect_name(TOKEN_NAME ENGINE_CC);
  expect('{' ENGINE_CC);
  while (!accept('}' ENGINE_CC)) {
    node *m;
    bool is_static = false;
    if (accept_word("const" ENGINE_CC)) {
      m = constant(ENGINE_C);
    } else if ((is_static = accept_word("static" ENGINE_CC)), accept_word("function" ENGINE_CC)) {
      m = function_declaration(ENGINE_C);
    } else {
      if (!is_static && !accept_word("var" ENGINE_CC))
        vm_compile_error("const, static, var or function expected" ENGINE_CC);
      m = node_new(N_FIELD ENGINE_CC);
      m->name = expect_name(TOKEN_VARIABLE ENGINE_CC);
      if (accept('=' ENGINE_CC))
        m->a = parse_expression(ENGINE_C);
      expect(';' ENGINE_CC);
    }
    m->flag = is_static;
    list_add(&tail, m);
  }
  return n;
}

/* row "name" { ... }: a piece of the program that can be run alone. Which, the host says. */
static node *row(ENGINE_D) {
  if (!token_is(TOKEN_STRING ENGINE_CC))
    vm_compile_error("a row's name expected" ENGINE_CC);
  str *name = lexer_string(ENGINE_C);
  lexer_next(ENGINE_C);
  row_found(name->text ENGINE_CC);
  node *body = block(ENGINE_C);
  return !CG(row) || !strcmp(CG(row), name->text) ? body : NULL;
}

static node *with_list(int kind ENGINE_DC) {
  node *n = node_new(kind ENGINE_CC);
  n->list = parse_list(';' ENGINE_CC);
  return n;
}

static node *simple(int kind ENGINE_DC) {
  expect(';' ENGINE_CC);
  return node_new(kind ENGINE_CC);
}

static node *if_statement(ENGINE_D) {
  node *n = node_new(N_IF ENGINE_CC);
  n->a = condition(ENGINE_C);
  n->b = statement(ENGINE_C);
  if (accept_word("else" ENGINE_CC))
    n->c = statement(ENGINE_C);
  return n;
}

static node *while_statement(ENGINE_D) {
  node *n = node_new(N_WHILE ENGINE_CC);
  n->a = condition(ENGINE_C);
  n->b = statement(ENGINE_C);
  return n;
}

static node *return_statement(ENGINE_D) {
  node *n = node_new(N_RETURN ENGINE_CC);
  if (!token_is(';' ENGINE_CC))
    n->a = parse_expression(ENGINE_C);
  expect(';' ENGINE_CC);
  return n;
}

static node *unset_statement(ENGINE_D) {
  node *n = node_new(N_UNSET ENGINE_CC);
  n->a = condition(ENGINE_C);
  expect(';' ENGINE_CC);
  return n;
}

static node *expression_statement(ENGINE_D) {
  node *n = node_new(N_EXPRESSION ENGINE_CC);
  n->a = parse_expression(ENGINE_C);
  expect(';' ENGINE_CC);
  return n;
}

static node *statement(ENGINE_D) {
  if (token_is('{' ENGINE_CC))
    return block(ENGINE_C);
  if (accept(';' ENGINE_CC))
    return node_new(N_BLOCK ENGINE_CC);
  if (token_is(TOKEN_NAME ENGINE_CC)) {
    if (accept_word("if" ENGINE_CC))
      return if_statement(ENGINE_C);
    if (accept_word("while" ENGINE_CC))
      return while_statement(ENGINE_C);
    if (accept_word("for" ENGINE_CC))
      return for_statement(ENGINE_C);
    if (accept_word("foreach" ENGINE_CC))
      return foreach_statement(ENGINE_C);
    if (accept_word("echo" ENGINE_CC))
      return with_list(N_ECHO ENGINE_CC);
    if (accept_word("return" ENGINE_CC))
      return return_statement(ENGINE_C);
    if (accept_word("break" ENGINE_CC))
      return simple(N_BREAK ENGINE_CC);
    if (accept_word("continue" ENGINE_CC))
      return simple(N_CONTINUE ENGINE_CC);
    if (accept_word("global" ENGINE_CC))
      return variables(node_new(N_GLOBAL ENGINE_CC) ENGINE_CC);
    if (accept_word("unset" ENGINE_CC))
      return unset_statement(ENGINE_C);
    if (accept_word("const" ENGINE_CC))
      return constant(ENGINE_C);
    if (accept_word("function" ENGINE_CC))
      return function_declaration(ENGINE_C);
    if (accept_word("class" ENGINE_CC))
      return class_declaration(ENGINE_C);
    if (accept_word("row" ENGINE_CC))
      return row(ENGINE_C);
  }
  return expression_statement(ENGINE_C);
}

node *parse_program(ENGINE_D) {
  node *list = NULL, **tail = &list;
  while (!token_is(TOKEN_END ENGINE_CC)) {
    node *s = statement(ENGINE_C);
    if (s)
      list_add(&tail, s);
  }
  return list;
}
