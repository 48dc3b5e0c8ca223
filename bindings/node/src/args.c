/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that come from JavaScript, and values and errors that go there. */
#include "addon.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct heap {
    struct heap *next;
    max_align_t bytes[];
};

void args_begin(struct args *a, napi_env env, napi_callback_info info)
{
    void *data = NULL;
    a->env = env;
    a->heap = NULL;
    a->failed = false;
    a->n = ARGS_MAX;
    napi_get_cb_info(env, info, &a->n, a->v, NULL, &data);
    a->inst = data;
}

napi_value args_done(struct args *a, napi_value v)
{
    for (struct heap *h = a->heap, *next; h; h = next) {
        next = h->next;
        free(h);
    }
    a->heap = NULL;
    inst_hold(a->inst);
    return a->failed ? NULL : v;
}

void *args_alloc(struct args *a, size_t size)
{
    struct heap *h = size > SIZE_MAX / 2 ? NULL : malloc(sizeof *h + size);
    if (!h) {
        args_fail(a, "there is no memory for an argument of %zu bytes", size);
        return NULL;
    }
    h->next = a->heap;
    a->heap = h;
    return h->bytes;
}

void args_fail(struct args *a, const char *format, ...)
{
    if (a->failed)
        return;
    a->failed = true;
    char text[256];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    bool pending = false;
    napi_is_exception_pending(a->env, &pending); /* a getter's own, or the engine's end */
    if (!pending)
        napi_throw_type_error(a->env, "ERR_SOSIA_ARGUMENT", text);
}

static const char *const code_names[] = {
#define XX(name, status) #name,
    SOSIA_CODE_MAP(XX)
#undef XX
};
static const int code_status[] = {
#define XX(name, status) status,
    SOSIA_CODE_MAP(XX)
#undef XX
};

static napi_value text_or_undefined(napi_env env, const char *text)
{
    napi_value v = NULL;
    if (!text || napi_create_string_utf8(env, text, NAPI_AUTO_LENGTH, &v) != napi_ok)
        napi_get_undefined(env, &v);
    return v;
}

napi_value error_of(struct inst *inst, const struct sosia_err *err)
{
    size_t code = (size_t)err->code < sizeof code_names / sizeof *code_names ? (size_t)err->code
                                                                             : SOSIA_E_INTERNAL;
    napi_env env = inst->env;
    napi_value class = NULL, error = NULL, v[6];
    v[0] = text_or_undefined(env, err->text);
    v[1] = text_or_undefined(env, code_names[code]);
    v[2] = text_or_undefined(env, err->reason);
    v[3] = text_or_undefined(env, err->where);
    napi_create_int32(env, err->line, &v[4]);
    napi_create_int32(env, code_status[code], &v[5]);
    if (napi_get_reference_value(env, inst->error, &class) != napi_ok || !class ||
        napi_new_instance(env, class, 6, v, &error) != napi_ok)
        return NULL;
    return error;
}

void throw_err(struct inst *inst, const struct sosia_err *err)
{
    napi_value error = error_of(inst, err);
    if (error)
        napi_throw(inst->env, error);
}

void args_throw(struct args *a, const struct sosia_err *err)
{
    if (!a->failed) {
        a->failed = true;
        throw_err(a->inst, err);
    }
}

/* ---- numbers and handles ---- */

struct engine_slot *arg_slot(struct args *a, size_t i)
{
    double id = -1;
    if (napi_get_value_double(a->env, a->v[i], &id) != napi_ok)
        id = -1;
    return slot_of(a, id, i);
}

struct engine_slot *slot_of(struct args *a, double id, size_t i)
{
    if (!(id >= 0 && id < a->inst->n_slots) || id != (uint32_t)id) {
        args_fail(a, "argument %zu must be an engine", i + 1);
        return NULL;
    }
    struct engine_slot *slot = a->inst->slots[(uint32_t)id];
    if (!slot->engine && !a->failed) {
        struct sosia_err err = {
            .code = SOSIA_E_GONE, .reason = "engineClosed", .text = "the engine is closed"};
        args_throw(a, &err);
        return NULL;
    }
    return slot;
}

struct sosia_engine *arg_engine(struct args *a, size_t i)
{
    struct engine_slot *slot = arg_slot(a, i);
    return slot ? slot->engine : NULL;
}

uint64_t arg_world(struct args *a, size_t i)
{
    uint32_t high = 0, low = 0;
    if (napi_get_value_uint32(a->env, a->v[i], &high) != napi_ok ||
        napi_get_value_uint32(a->env, a->v[i + 1], &low) != napi_ok)
        args_fail(a, "arguments %zu and %zu must be a world", i + 1, i + 2);
    return (uint64_t)high << 32 | low;
}

static napi_valuetype type_of(struct args *a, napi_value v)
{
    napi_valuetype type = napi_undefined;
    if (v)
        napi_typeof(a->env, v, &type);
    return type;
}

static bool missing(napi_valuetype type)
{
    return type == napi_undefined || type == napi_null;
}

static int64_t int_of(struct args *a, napi_value v, const char *name, int64_t otherwise)
{
    napi_valuetype type = type_of(a, v);
    if (missing(type))
        return otherwise;
    if (type == napi_bigint) {
        int64_t value = 0;
        bool whole = false;
        if (napi_get_value_bigint_int64(a->env, v, &value, &whole) == napi_ok && whole)
            return value;
        args_fail(a, "%s must fit into 64 bits", name);
        return otherwise;
    }
    double value = NAN;
    if (type == napi_number)
        napi_get_value_double(a->env, v, &value);
    if (!(value >= -9007199254740991. && value <= 9007199254740991.) || value != floor(value)) {
        args_fail(a, "%s must be a whole number or a BigInt", name);
        return otherwise;
    }
    return (int64_t)value;
}

static bool bool_of(struct args *a, napi_value v, const char *name)
{
    napi_valuetype type = type_of(a, v);
    bool value = false;
    if (missing(type))
        return false;
    if (type != napi_boolean || napi_get_value_bool(a->env, v, &value) != napi_ok)
        args_fail(a, "%s must be true or false", name);
    return value;
}

/* ---- texts ---- */

static const char *text_of(struct args *a, napi_value v, const char *name, size_t *ret_len,
                           bool nul)
{
    size_t len = 0, got = 0;
    napi_valuetype type = type_of(a, v);
    if (missing(type))
        return NULL;
    if (type != napi_string || napi_get_value_string_utf8(a->env, v, NULL, 0, &len) != napi_ok) {
        args_fail(a, "%s must be a string", name);
        return NULL;
    }
    char *text = args_alloc(a, len + 1);
    if (!text || napi_get_value_string_utf8(a->env, v, text, len + 1, &got) != napi_ok)
        return NULL;
    if (!nul && memchr(text, 0, got)) {
        args_fail(a, "%s must have no NUL in it", name);
        return NULL;
    }
    if (ret_len)
        *ret_len = got;
    return text;
}

static const char *bytes_of(struct args *a, napi_value v, const char *name, size_t *ret_len)
{
    if (type_of(a, v) == napi_object) {
        bool is = false;
        void *data = NULL;
        size_t len = 0;
        if (napi_is_typedarray(a->env, v, &is) == napi_ok && is) {
            napi_typedarray_type type;
            if (napi_get_typedarray_info(a->env, v, &type, &len, &data, NULL, NULL) == napi_ok &&
                (type == napi_uint8_array || type == napi_uint8_clamped_array ||
                 type == napi_int8_array)) {
                *ret_len = len;
                return len ? data : "";
            }
        }
        args_fail(a, "%s must be a string or a Uint8Array", name);
        return NULL;
    }
    if (!missing(type_of(a, v)) && type_of(a, v) != napi_string)
        args_fail(a, "%s must be a string or a Uint8Array", name);
    return text_of(a, v, name, ret_len, true);
}

const char *arg_text(struct args *a, size_t i, const char *name, size_t *ret_len)
{
    return text_of(a, a->v[i], name, ret_len, false);
}

const char *arg_need(struct args *a, size_t i, const char *name, size_t *ret_len)
{
    const char *text = arg_text(a, i, name, ret_len);
    if (!text)
        args_fail(a, "%s must be a string", name);
    return text;
}

const char *arg_bytes(struct args *a, size_t i, const char *name, size_t *ret_len)
{
    return bytes_of(a, a->v[i], name, ret_len);
}

int64_t arg_int(struct args *a, size_t i, const char *name, int64_t otherwise)
{
    return int_of(a, a->v[i], name, otherwise);
}

bool arg_bool(struct args *a, size_t i, const char *name)
{
    return bool_of(a, a->v[i], name);
}

static napi_value member(struct args *a, size_t i, const char *name)
{
    napi_value v = NULL;
    napi_valuetype type = type_of(a, a->v[i]);
    if (missing(type) || a->failed)
        return NULL;
    if (type != napi_object)
        args_fail(a, "argument %zu must be an object", i + 1);
    else if (napi_get_named_property(a->env, a->v[i], name, &v) != napi_ok)
        args_fail(a, "%s can't be read", name);
    return v;
}

const char *opt_text(struct args *a, size_t i, const char *name, size_t *ret_len)
{
    return text_of(a, member(a, i, name), name, ret_len, false);
}

const char *opt_bytes(struct args *a, size_t i, const char *name, size_t *ret_len)
{
    return bytes_of(a, member(a, i, name), name, ret_len);
}

int64_t opt_int(struct args *a, size_t i, const char *name, int64_t otherwise)
{
    return int_of(a, member(a, i, name), name, otherwise);
}

bool opt_bool(struct args *a, size_t i, const char *name)
{
    return bool_of(a, member(a, i, name), name);
}

bool opt_has(struct args *a, size_t i, const char *name)
{
    return !missing(type_of(a, member(a, i, name)));
}

struct sosia_header *split_fields(struct args *a, char *text, size_t *ret_n)
{
    size_t lines = 0;
    for (const char *p = text; (p = strchr(p, '\n')); p++)
        lines++;
    if (lines % 2 || (text[0] && text[strlen(text) - 1] != '\n')) {
        args_fail(a, "a header must have no line break in it");
        return NULL;
    }
    struct sosia_header *fields = args_alloc(a, (lines / 2 + 1) * sizeof *fields);
    char *p = text;
    for (size_t i = 0; fields && i < lines / 2; i++) {
        fields[i].name = p;
        p = strchr(p, '\n');
        *p++ = 0;
        fields[i].value = p;
        p = strchr(p, '\n');
        *p++ = 0;
    }
    *ret_n = lines / 2;
    return fields;
}

/* ---- to JavaScript ---- */

napi_value js_text(struct args *a, const char *text, size_t len)
{
    napi_value v = NULL;
    if (napi_create_string_utf8(a->env, text, len, &v) != napi_ok)
        args_fail(a, "a text of %zu bytes is longer than a string can be", len);
    return v;
}

napi_value js_world(struct args *a, uint64_t world)
{
    napi_value v = NULL;
    napi_create_bigint_uint64(a->env, world, &v);
    return v;
}

napi_value js_int(struct args *a, int64_t value)
{
    napi_value v = NULL;
    if (value > 9007199254740991 || value < -9007199254740991)
        napi_create_bigint_int64(a->env, value, &v);
    else
        napi_create_int64(a->env, value, &v);
    return v;
}

napi_value js_bool(struct args *a, bool value)
{
    napi_value v = NULL;
    napi_get_boolean(a->env, value, &v);
    return v;
}

napi_value js_undefined(struct args *a)
{
    napi_value v = NULL;
    napi_get_undefined(a->env, &v);
    return v;
}

napi_value js_blob(struct args *a, struct sosia_blob *blob)
{
    napi_value v = blob->data ? js_text(a, blob->data, blob->len) : js_undefined(a);
    sosia_blob_free(blob);
    return v;
}

void js_set(struct args *a, napi_value object, const char *name, napi_value value)
{
    if (object && value)
        napi_set_named_property(a->env, object, name, value);
}
