/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * ast.h - the syntax tree: nodes of one shape, in an arena that is freed when a source has been compiled.
 */
#ifndef ENGINE_AST_H
#define ENGINE_AST_H

#include "value.h"

enum node_kind {
  /* expressions */
  N_LITERAL,        /* literal */
  N_VARIABLE,       /* name */
  N_DIM,            /* a[b]; b may be NULL: a[] */
  N_PROPERTY,       /* a->name */
  N_STATIC,         /* class::$name */
  N_CONSTANT,       /* name */
  N_CLASS_CONSTANT, /* class::name */
  N_BINARY,         /* a op b; op is an opcode; swapped: flag */
  N_NOT,            /* a */
  N_AND,            /* a, b */
  N_OR,             /* a, b */
  N_TERNARY,        /* a ? b : c; b may be NULL */
  N_ASSIGN,         /* a = b */
  N_ASSIGN_OP,      /* a op= b */
  N_ASSIGN_REF,     /* a =& b */
  N_STEP,           /* flag: 1 increment, 2 before */
  N_CALL,           /* name(list) */
  N_METHOD,         /* a->name(list) */
  N_STATIC_CALL,    /* class::name(list) */
  N_NEW,            /* new class(list) */
  N_ISSET,          /* a */
  N_EMPTY,          /* a */
  N_ARRAY,          /* list of N_ELEMENT */
  N_ELEMENT,        /* b => a; b may be NULL */
  /* statements */
  N_EXPRESSION, /* a */
  N_ECHO,       /* list */
  N_IF,         /* a, b, c */
  N_WHILE,      /* a, b */
  N_FOR,        /* list a; list b (the last decides); list c; list: the body */
  N_FOREACH,    /* a as c => b: list: the body */
  N_BLOCK,      /* list */
  N_RETURN,     /* a or NULL */
  N_BREAK,
  N_CONTINUE,
  N_GLOBAL,    /* list of N_VARIABLE */
  N_UNSET,     /* a */
  N_CONST,     /* name = a */
  N_FUNCTION,  /* name, list of N_PARAMETER, a: body; flag: static */
  N_PARAMETER, /* name; flag: by reference */
  N_CLASS,     /* name; list of N_CONST, N_FIELD, N_FUNCTION */
  N_FIELD,     /* name = a; flag: static */
};

struct node {
  uint8_t kind, op, flag;
  uint32_t line;
  str *name;
  str *class;
  value literal;
  node *a, *b, *c;
  node *list, *next;
  uint8_t index_kind; /* between the two halves of compiling a place: where b's value is */
  uint32_t index;
};

/* Parses what the lexer was opened on; the list of statements. */
node *parse_program(ENGINE_D);
node *parse_expression(ENGINE_D);

/* Between the two files of the parser. */
node *parse_list(int close ENGINE_DC); /* expressions with commas between, up to the closing token and with it */
node *node_new(int kind ENGINE_DC);
void arena_free(ENGINE_D);
bool token_is(int token ENGINE_DC);
bool token_is_word(const char *word ENGINE_DC);
bool token_is_operator(const char *text ENGINE_DC);
bool accept(int token ENGINE_DC);
bool accept_word(const char *word ENGINE_DC);
bool accept_operator(const char *text ENGINE_DC);
void expect(int token ENGINE_DC);
str *expect_name(int token ENGINE_DC);
/* Appends to a list whose last link is **tail. */
static inline void list_add(node ***tail, node *n) {
  **tail = n;
  *tail = &n->next;
}

#endif
