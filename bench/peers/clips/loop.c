/* Times CLIPS without Python around it. The library is the one that clipspy brings along: it
 * exports CLIPS' C functions, and what it wants of Python is never called here.
 *
 *   loop LIBRARY once RULES FACTS           asserts the facts of a file, then runs the rules
 *   loop LIBRARY cycle RULES FACTS COUNT NODES
 *                                          COUNT times: three facts change, the rules run
 *
 * Each prints one JSON object. Microseconds are those of a clock that only goes forward.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What the library wants of Python. */
#define ABSENT(name) void name(void) { abort(); }
ABSENT(PyArg_UnpackTuple)
ABSENT(PyBool_FromLong)
ABSENT(PyErr_Occurred)
ABSENT(PyEval_RestoreThread)
ABSENT(PyEval_SaveThread)
ABSENT(PyFloat_AsDouble)
ABSENT(PyImport_ImportModule)
ABSENT(PyLong_FromLong)
ABSENT(PyLong_FromVoidPtr)
ABSENT(PyObject_CallMethod)
ABSENT(PyObject_Free)
ABSENT(PyObject_Malloc)
ABSENT(_Py_Dealloc)
long _Py_NoneStruct[8];

/* CLIPS' functions. Its types are only pointed at. */
static void *(*create_environment)(void);
static bool (*destroy_environment)(void *);
static int (*load)(void *, const char *);
static void (*reset)(void *);
static long long (*run)(void *, long long);
static void *(*assert_string)(void *, const char *);
static int (*retract)(void *);
static void *(*create_fact_builder)(void *, const char *);
static int (*put_symbol)(void *, const char *, const char *);
static int (*put_integer)(void *, const char *, long long);
static void *(*builder_assert)(void *);
static void *(*find_deftemplate)(void *, const char *);
static void *(*next_fact_in_template)(void *, void *);
static void *(*create_fact_modifier)(void *, void *);
static int (*modifier_set_fact)(void *, void *);
static int (*modify_symbol)(void *, const char *, const char *);
static int (*modify_integer)(void *, const char *, long long);
static void *(*modify)(void *);

static void *found(void *library, const char *name) {
    void *function = dlsym(library, name);
    if (!function) {
        fprintf(stderr, "the library has no %s\n", name);
        exit(1);
    }
    return function;
}

static void open_library(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    create_environment = found(library, "CreateEnvironment");
    destroy_environment = found(library, "DestroyEnvironment");
    load = found(library, "Load");
    reset = found(library, "Reset");
    run = found(library, "Run");
    assert_string = found(library, "AssertString");
    retract = found(library, "Retract");
    create_fact_builder = found(library, "CreateFactBuilder");
    put_symbol = found(library, "FBPutSlotSymbol");
    put_integer = found(library, "FBPutSlotInteger");
    builder_assert = found(library, "FBAssert");
    find_deftemplate = found(library, "FindDeftemplate");
    next_fact_in_template = found(library, "GetNextFactInTemplate");
    create_fact_modifier = found(library, "CreateFactModifier");
    modifier_set_fact = found(library, "FMSetFact");
    modify_symbol = found(library, "FMPutSlotSymbol");
    modify_integer = found(library, "FMPutSlotInteger");
    modify = found(library, "FMModify");
}

static double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void *loaded(const char *rules) {
    void *environment = create_environment();
    if (load(environment, rules) != 0) {
        fprintf(stderr, "CLIPS refuses %s\n", rules);
        exit(1);
    }
    reset(environment);
    return environment;
}

/* The lines of a file. */
static char **lines_of(const char *path, size_t *count) {
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(1);
    }
    size_t room = 1024;
    char **lines = malloc(room * sizeof(char *));
    char *line = NULL;
    size_t size = 0;
    *count = 0;
    while (getline(&line, &size, file) > 0) {
        if (line[0] != '(') continue;
        if (*count == room) lines = realloc(lines, (room *= 2) * sizeof(char *));
        line[strcspn(line, "\n")] = 0;
        lines[(*count)++] = strdup(line);
    }
    free(line);
    fclose(file);
    return lines;
}

static void assert_all(void *environment, char **lines, size_t count) {
    for (size_t at = 0; at < count; at++) {
        if (!assert_string(environment, lines[at])) {
            fprintf(stderr, "CLIPS refuses %s\n", lines[at]);
            exit(1);
        }
    }
}

static void run_once(const char *rules, const char *facts) {
    size_t count;
    char **lines = lines_of(facts, &count);
    void *environment = loaded(rules);
    double begin = now_us();
    assert_all(environment, lines, count);
    double asserted = now_us();
    long long fired = run(environment, -1);
    double end = now_us();
    printf("{\"assert_us\": %.1f, \"run_us\": %.1f, \"fired\": %lld}\n", asserted - begin,
           end - asserted, fired);
    destroy_environment(environment);
}

enum way { BUILDER, STRING, MODIFIER };
static const char *const CHANNELS[] = {"mail", "chat", "phone"};

/* The three facts that change: where the run is, and two fields of its state. */
struct state {
    void *environment, *node, *severity, *channel, *node_builder, *severity_builder,
        *channel_builder, *modifier;
};

static void change(struct state *state, enum way way, const char *node, long long severity,
                   const char *channel) {
    if (way == MODIFIER && state->node) {
        modifier_set_fact(state->modifier, state->node);
        modify_symbol(state->modifier, "id", node);
        state->node = modify(state->modifier);
        modifier_set_fact(state->modifier, state->severity);
        modify_integer(state->modifier, "value", severity);
        state->severity = modify(state->modifier);
        modifier_set_fact(state->modifier, state->channel);
        modify_symbol(state->modifier, "value", channel);
        state->channel = modify(state->modifier);
        return;
    }
    if (state->node) {
        retract(state->node);
        retract(state->severity);
        retract(state->channel);
    }
    if (way == STRING) {
        char text[128];
        snprintf(text, sizeof text, "(node-id (id %s))", node);
        state->node = assert_string(state->environment, text);
        snprintf(text, sizeof text, "(severity (value %lld))", severity);
        state->severity = assert_string(state->environment, text);
        snprintf(text, sizeof text, "(channel (value %s))", channel);
        state->channel = assert_string(state->environment, text);
        return;
    }
    put_symbol(state->node_builder, "id", node);
    state->node = builder_assert(state->node_builder);
    put_integer(state->severity_builder, "value", severity);
    state->severity = builder_assert(state->severity_builder);
    put_symbol(state->channel_builder, "value", channel);
    state->channel = builder_assert(state->channel_builder);
}

static void cycle(const char *rules, const char *facts, long count, long nodes, enum way way,
                  const char *name) {
    size_t lines_count;
    char **lines = lines_of(facts, &lines_count);
    void *environment = loaded(rules);
    assert_all(environment, lines, lines_count);
    struct state state = {
        .environment = environment,
        .node_builder = create_fact_builder(environment, "node-id"),
        .severity_builder = create_fact_builder(environment, "severity"),
        .channel_builder = create_fact_builder(environment, "channel"),
        .modifier = create_fact_modifier(environment, NULL),
    };
    void *action = find_deftemplate(environment, "action");
    char **names = malloc(sizeof(char *) * (size_t)nodes);
    for (long at = 0; at < nodes; at++) {
        if (asprintf(&names[at], "n%ld", at) < 0) exit(1);
    }
    long warm = count / 10 + 1;
    long long fired = 0, actions = 0;
    double begin = 0;
    for (long at = 0; at < warm + count; at++) {
        if (at == warm) {
            begin = now_us();
            fired = actions = 0;
        }
        change(&state, way, names[at * 7 % nodes], at * 5 % 6, CHANNELS[at % 3]);
        fired += run(environment, -1);
        /* What was decided is taken out, as a host would. */
        for (void *fact; (fact = next_fact_in_template(action, NULL)) != NULL;) {
            retract(fact);
            actions++;
        }
    }
    double each = (now_us() - begin) / (double)count;
    printf("{\"way\": \"%s\", \"us\": %.4f, \"fired\": %lld, \"actions\": %lld, \"cycles\": %ld}\n",
           name, each, fired, actions, count);
    destroy_environment(environment);
}

int main(int count, char **words) {
    if (count >= 5) open_library(words[1]);
    if (count == 5 && !strcmp(words[2], "once")) {
        run_once(words[3], words[4]);
    } else if (count == 7 && !strcmp(words[2], "cycle")) {
        long cycles = atol(words[5]), nodes = atol(words[6]);
        cycle(words[3], words[4], cycles, nodes, BUILDER, "builder");
        cycle(words[3], words[4], cycles, nodes, STRING, "string");
        cycle(words[3], words[4], cycles, nodes, MODIFIER, "modifier");
    } else {
        fprintf(stderr, "usage: loop LIBRARY once RULES FACTS\n"
                        "       loop LIBRARY cycle RULES FACTS COUNT NODES\n");
        return 2;
    }
    return 0;
}
