# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# shapes.py - linked lists, structures by value, sorting and functions as arguments, for every kind of block a set of helpers
# each.
# `side` is "" or "_secret": functions whose blocks never leave their thread share no helper with the others.


def helpers(kinds):
    out = ["static void *call_with(void *(*f)(void *), void *p) { return f(p); }",
           "static void *call_with_secret(void *(*f)(void *), void *p) { return f(p); }"]
    for k in range(kinds):
        out += [f"struct link{k} {{ struct link{k} *next; struct k{k} *item; }};",
                f"struct pair{k} {{ struct k{k} *a, *b; }};", f"struct triple{k} {{ long n; struct pair{k} pair; struct k{k} *c; }};"]
        for side in ("", "_secret"):
            t = f"struct k{k} *"
            out += [
                f"static struct link{k} *push{k}{side}(struct link{k} *list, {t}item) {{ struct link{k} *l = malloc(sizeof *l); "
                "sure(l != NULL); l->item = item; l->next = list; return l; }",
                f"static struct link{k} *turned{k}{side}(struct link{k} *list) {{ struct link{k} *out = NULL; while (list) {{ "
                f"struct link{k} *next = list->next; list->next = out; out = list; list = next; }} return out; }}",
                f"static {t}last{k}{side}(struct link{k} *list) {{ {t}item = NULL; for (struct link{k} **at = &list; *at; at = &(*at)->next) "
                "if ((*at)->item) item = (*at)->item; return item; }",
                f"static void dropped{k}{side}(struct link{k} *list) {{ while (list) {{ struct link{k} *next = list->next; free(list); "
                "list = next; } }",
                f"static struct pair{k} swapped{k}{side}(struct pair{k} p) {{ return (struct pair{k}){{p.b, p.a}}; }}",
                f"static struct triple{k} turned_triple{k}{side}(struct triple{k} t) {{ {t}c = t.c; t.c = t.pair.a; "
                f"t.pair = swapped{k}{side}(t.pair); t.pair.b = c; t.n++; return t; }}",
                f"static int order{k}{side}(const void *x, const void *y) {{ {t}const *a = x, *const *b = y; touch(*a, {k}); "
                f"touch(*b, {k}); return (*a ? (*a)->head.refs : 0) - (*b ? (*b)->head.refs : 0); }}",
                f"static {t}sorted{k}{side}({t}a, {t}b, {t}c) {{ {t}array[3] = {{a, b, c}}; "
                f"qsort(array, 3, sizeof *array, order{k}{side}); return array[2]; }}"]
    return out


def use(r, k, side, names, result, temporary):
    """Lines that bring one of three blocks of kind k (or null) into `result`, which is declared here."""
    a, b, c = names
    declared = f"struct k{k} *{result} = NULL;"
    how = r.randrange(5)
    if how == 0:
        t = temporary
        lines = [declared, f"struct link{k} *{t} = push{k}{side}(push{k}{side}(NULL, {a}), {b});", f"{t} = push{k}{side}({t}, {c});"]
        if r.random() < 0.5:
            lines.append(f"{t} = turned{k}{side}({t});")
        return lines + [f"{result} = {r.choice([f'last{k}{side}({t})', f'{t}->next->item'])};", f"dropped{k}{side}({t});"]
    if how == 1:
        return [declared, f"{{ struct pair{k} p = swapped{k}{side}((struct pair{k}){{{a}, {b}}}); {result} = p.{r.choice('ab')}; }}"]
    if how == 2:
        return [declared, f"{{ struct triple{k} p = {{1, {{{a}, {b}}}, {c}}}; p = turned_triple{k}{side}(p); "
                f"{result} = {r.choice(['p.pair.a', 'p.pair.b', 'p.c'])}; }}"]
    if how == 3:
        return [declared, f"{result} = sorted{k}{side}({a}, {b}, {c});"]
    return [declared, f"{result} = call_with{side}({r.choice(['identity', 'through'])}{side}, {a});"]
