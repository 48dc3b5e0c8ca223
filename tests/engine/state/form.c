/* SPDX-License-Identifier: Apache-2.0 */
/* Rows by the table of their members: each type read, refused in its words, left out where it is as
 * usual, and the same again after a dump. */
#include "engine/state/form.h"
#include "tests/support/unit.h"

struct part {
    const char *name;
    int weight;
    bool good;
};

struct thing {
    const char *title, *note, *mood, *zone, *extra, *texts;
    bool open;
    int size;
    int64_t wide, at_us, friend;
    enum { SMALL, LARGE } kind;
    unsigned rights, flags;
    struct part *parts;
    int n_parts;
    struct part main;
    int own, checked;
};

/* The friend "n" is row 7. */
static int find_friend(struct tx *tx, const char *text, int64_t *ret)
{
    *ret = strcmp(text, "n") == 0 ? 7 : 0;
    return strcmp(text, "broken") == 0 ? -1 : *ret != 0;
}

static int name_friend(struct tx *tx, int64_t id, const char **ret)
{
    *ret = "n";
    return id == 7;
}

static const struct reference friends = {.noun = "a friend's name",
                                         .unknown = "there is no friend",
                                         .find = find_friend,
                                         .name = name_friend};

static int check_part(const struct form_in *in, void *row)
{
    const struct part *p = row;
    return strcmp(p->name, "bad") != 0 ? 0 : doc_fail(in->d, in->value, NULL, "is bad");
}

static const struct member part_members[] = {
    {"name", "Its name", TEXT_AT(struct part, name), .flags = MEMBER_REQUIRED | MEMBER_ALWAYS},
    {"weight", "Its weight", INT_AT(struct part, weight, 1, 9), .usual = 1},
    {"good", "It is good", BOOL_AT(struct part, good), .usual = true},
};
static const struct form part_form = {.about = "A part",
                                      .members = part_members,
                                      .n = SOSIA_LEN(part_members),
                                      .size = sizeof(struct part),
                                      .check = check_part};

static const struct member main_members[] = {
    {"name", "Its name", TEXT_AT(struct part, name)},
    {"weight", "Its weight", INT_AT(struct part, weight, 1, 9), .usual = 1},
};
static const struct form main_form = FORM("The main part", main_members);

static int read_own(const struct form_in *in, const struct member *m, void *row)
{
    struct thing *t = row;
    t->own = json_get(in->value, m->name) ? *(const int *)in->of : t->own;
    return 0;
}

static int write_own(const struct form_out *out, const struct member *m, const void *row)
{
    json_int(out->w, m->name, ((const struct thing *)row)->own);
    return 0;
}

static int check_size(const struct form_in *in, const struct member *m, void *row)
{
    struct thing *t = row;
    t->checked++;
    return t->size != 13 ? 0 : doc_fail(in->d, json_get(in->value, m->name), m->name, "is 13");
}

static const char *const moods[] = {"gay", "grave", NULL};
static const char *const kinds[] = {"small", "large", NULL};
static const char *const rights[] = {"see", "touch", "take", NULL};

static const struct member shared_members[] = {
    {"open", "It is open", BOOL_AT(struct thing, open)},
    {"size", "Its size", INT_AT(struct thing, size, -5, 20), .usual = 3, .check = check_size},
};
static const struct form shared_form = FORM("What things have alike", shared_members);

static const struct member thing_members[] = {
    {"title", "The line on top", TEXT_AT(struct thing, title), .flags = MEMBER_REQUIRED},
    {"note", "A note", TEXT_AT(struct thing, note), .flags = MEMBER_CLEARS},
    {"mood", "Its mood", WORD_AT(struct thing, mood, moods), .usual_text = "gay"},
    PART(&shared_form),
    {"wide", "A wide number", INT_AT(struct thing, wide, INT64_MIN, INT64_MAX)},
    {"kind", "Its kind", ENUM_AT(struct thing, kind, kinds), .usual = LARGE},
    {"at", "When it was", TIME_AT(struct thing, at_us)},
    {"zone", "Where it is", ZONE_AT(struct thing, zone), .usual_text = "UTC",
     .flags = MEMBER_CLEARS},
    {"rights", "What others may do", BITS_AT(struct thing, rights, rights), .noun = "right"},
    {"flag", "A flag", FLAG_AT(struct thing, flags, 4)},
    {"shown", "Another flag", FLAG_AT(struct thing, flags, 2), .usual = true},
    {"extra", "Whatever", JSON_AT(struct thing, extra)},
    {"texts", "Texts", JSON_AT(struct thing, texts), .flags = MEMBER_TEXTS},
    {"friend", "Its friend", REF_AT(struct thing, friend, &friends)},
    {"parts", "Its parts", LIST_AT(struct thing, parts, n_parts, &part_form),
     .flags = MEMBER_SHORT},
    {"main", "Its main part", OBJECT_AT(struct thing, main, &main_form)},
    {"own", "Whatever hooks say", .kind = MEMBER_OWN, .read = read_own, .write = write_own},
    {"elsewhere", "Read by the caller", .kind = MEMBER_OWN},
};
static const struct form thing_form = FORM("A thing", thing_members);

static struct arena a;
static struct sosia_err err;
static struct doc d;
static const int eleven = 11;

static int setup(void **state)
{
    arena_init(&a, 0);
    return 0;
}

static int teardown(void **state)
{
    arena_done(&a);
    return 0;
}

static int read_over(const char *text, struct thing *t)
{
    const struct json *v;
    memset(&err, 0, sizeof err);
    if (doc_open(&d, &a, text, strlen(text), "t", 0, &v, &err) < 0)
        fail_msg("%s", err.text);
    return form_read(&(struct form_in){NULL, &d, v, &eleven}, &thing_form, t);
}

static void usual(struct thing *t)
{
    *t = (struct thing){0};
    form_usual(&thing_form, t);
}

static const char *written(const struct thing *t, const struct thing *base)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    assert_int_equal(form_write(&(struct form_out){NULL, &w, base, NULL}, &thing_form, t), 0);
    json_end(&w);
    const char *text = arena_strdup(&a, buf_str(&b));
    buf_done(&b);
    return text;
}

static void assert_refused(const char *text, const char *where, const char *words)
{
    struct thing t;
    usual(&t);
    assert_int_equal(read_over(text, &t), -1);
    assert_int_equal(err.code, SOSIA_E_INVALID);
    assert_string_equal(err.where, where);
    assert_string_equal(err.text,
                        arena_printf(&a, "t:1: %s%s%s", where, *where ? ": " : "", words));
}

static void the_usual_row_is_written_without_members(void **state)
{
    struct thing t;
    usual(&t);
    assert_string_equal(t.mood, "gay");
    assert_int_equal(t.size, 3);
    assert_int_equal(t.kind, LARGE);
    assert_int_equal(t.flags, 2);
    assert_int_equal(t.main.weight, 1);
    assert_string_equal(written(&t, NULL), "{\"own\":0}");
    assert_int_equal(read_over("{title: x}", &t), 0);
    assert_string_equal(written(&t, NULL), "{\"title\":\"x\",\"own\":0}");
    assert_int_equal(t.checked, 1);
}

static const char everything[] =
    "{\"title\":\"T\",\"note\":\"n\",\"mood\":\"grave\",\"open\":true,\"size\":-5,"
    "\"wide\":-9223372036854775808,\"kind\":\"small\",\"at\":\"2026-11-23T10:00:00.25Z\","
    "\"zone\":\"Europe/Rome\",\"rights\":[\"see\",\"take\"],\"flag\":true,\"shown\":false,"
    "\"extra\":{\"a\":[1,{}]},\"texts\":{\"b\":\"c\"},\"friend\":\"n\","
    "\"parts\":[{\"name\":\"p\",\"weight\":9,\"good\":false},{\"name\":\"q\"}],"
    "\"main\":{\"name\":\"m\",\"weight\":2},\"own\":11}";

static void what_was_written_is_read_again(void **state)
{
    struct thing t, again;
    usual(&t);
    assert_int_equal(read_over(everything, &t), 0);
    assert_int_equal(t.rights, 5);
    assert_int_equal(t.flags, 4);
    assert_int_equal(t.friend, 7);
    assert_int_equal(t.n_parts, 2);
    assert_true(t.parts[1].good);
    assert_int_equal(t.at_us % 1000000, 250000);
    assert_int_equal(t.own, 11);
    const char *text = written(&t, NULL);
    assert_non_null(strstr(text, "\"at\":\"2026-11-23T10:00:00.250Z\""));
    usual(&again);
    assert_int_equal(read_over(text, &again), 0);
    assert_string_equal(written(&again, NULL), text);
    assert_true(form_same(&thing_form, &t, &again));
}

static void a_change_leaves_the_rest_as_it_is(void **state)
{
    struct thing t, changed;
    usual(&t);
    assert_int_equal(read_over(everything, &t), 0);
    changed = t;
    assert_int_equal(read_over("{title: T, size: 4, shown: null, zone: \"\", note: \"\", "
                               "extra: {}, parts: [r]}",
                               &changed),
                     0);
    assert_int_equal(changed.flags, 4);
    assert_null(changed.note);
    assert_null(changed.zone);
    assert_null(changed.extra);
    assert_string_equal(written(&changed, &t),
                        "{\"note\":\"\",\"size\":4,\"zone\":\"\",\"extra\":{},"
                        "\"parts\":[{\"name\":\"r\"}],\"own\":11}");
    assert_false(form_same(&thing_form, &t, &changed));
}

/* Each member alone makes a row another one, and is written alone. */
static void each_member_is_compared(void **state)
{
    static const char *const one[] = {
        "note: x",         "mood: grave", "open: true",         "size: 4",
        "wide: 1",         "kind: small", "at: \"2026-11-23\"", "zone: Europe/Rome",
        "rights: [touch]", "flag: true",  "shown: false",       "extra: {a: 1}",
        "texts: {a: b}",   "friend: n",   "parts: [p]",         "main: {weight: 2}"};
    for (size_t i = 0; i < SOSIA_LEN(one); i++) {
        struct thing t, base;
        usual(&base);
        base.title = "T";
        t = base;
        assert_int_equal(read_over(arena_printf(&a, "{title: T, %s}", one[i]), &t), 0);
        assert_false(form_same(&thing_form, &t, &base));
        const struct json *v = NULL;
        const char *text = written(&t, &base);
        assert_int_equal(json_parse(&a, text, strlen(text), NULL, &v, &err), 0);
        assert_int_equal(v->n, 2);
        assert_int_equal(strncmp(v->members[0].key, one[i], strcspn(one[i], ":")), 0);
    }
}

static void what_is_wrong_is_said_with_its_place(void **state)
{
    assert_refused("[]", "", "must be an object, not an empty list");
    assert_refused("{}", "title", "is missing");
    assert_refused("{title: null}", "title", "is missing");
    assert_refused("{title: \"\"}", "title", "must not be empty");
    assert_refused("{title: 3}", "title", "must be a text, not 3");
    assert_refused("{title: x, mood: sad}", "mood", "\"sad\" is none of gay, grave");
    assert_refused("{title: x, kind: huge}", "kind", "\"huge\" is none of small, large");
    assert_refused("{title: x, open: 1}", "open", "must be true or false, not 1");
    assert_refused("{title: x, flag: x}", "flag", "must be true or false, not \"x\"");
    assert_refused("{title: x, size: 21}", "size", "must be a whole number from -5 to 20, not 21");
    assert_refused("{title: x, size: -6}", "size", "must be a whole number from -5 to 20, not -6");
    assert_refused("{title: x, size: 13}", "size", "is 13");
    assert_refused("{title: x, at: soon}", "at",
                   "\"soon\" is not a time such as 2026-11-23T10:00:00Z");
    assert_refused("{title: x, zone: Mars/Base}", "zone", "unknown time zone \"Mars/Base\"");
    assert_refused("{title: x, rights: [see, fly]}", "rights", "there is no right \"fly\"");
    assert_refused("{title: x, rights: [1]}", "rights[0]", "must be a text, not 1");
    assert_refused("{title: x, extra: []}", "extra", "must be an object");
    assert_refused("{title: x, texts: {a: 1}}", "texts", "may hold texts only");
    assert_refused("{title: x, friend: z}", "friend", "there is no friend \"z\"");
    assert_refused("{title: x, parts: {}}", "parts", "must be a list, not an empty object");
    assert_refused("{title: x, parts: [p, 1]}", "parts[1]", "must be an object, not 1");
    assert_refused("{title: x, parts: [{}]}", "parts[0].name", "is missing");
    assert_refused("{title: x, parts: [{name: p, weight: 0}]}", "parts[0].weight",
                   "must be a whole number from 1 to 9, not 0");
    assert_refused("{title: x, parts: [p, bad]}", "parts[1]", "is bad");
    assert_refused("{title: x, parts: [{name: p, of: 1}]}", "parts[0].of",
                   "there is no such field (known: name, weight, good)");
    assert_refused("{title: x, main: 1}", "main", "must be an object, not 1");
    assert_refused("{title: x, main: {weight: 10}}", "main.weight",
                   "must be a whole number from 1 to 9, not 10");
    assert_refused("{title: x, tint: 1}", "tint",
                   "there is no such field (known: title, note, mood, open, size, wide, kind, at, "
                   "zone, rights, flag, shown, extra, texts, friend, parts, main, own, elsewhere)");
    assert_refused("{\"\": 1}", "",
                   "there is no such field (known: title, note, mood, open, size, wide, kind, at, "
                   "zone, rights, flag, shown, extra, texts, friend, parts, main, own, elsewhere)");
}

/* What fails for another reason than the document keeps its own words. */
/* JSON as it is given, and an object whose members are the row's own. */
struct kept {
    const char *list, *text;
};
static const struct member here_members[] = {
    {"text", "Its text", TEXT_AT(struct kept, text), .usual_text = ""},
};
static const struct form here_form = FORM("What is here", here_members);
static const struct member kept_members[] = {
    {.kind = MEMBER_TEXT, MEMBER_PLACE(struct kept, text)}, /* a column alone */
    {"list", "A list", KEPT_AT(struct kept, list, JSON_ARRAY), .usual_text = "[]", .inner = "*"},
    {"here", "What is here", OBJECT_HERE(&here_form)},
};
static const struct form kept_form = FORM("What is kept", kept_members);

static int read_kept(const char *text, struct kept *k)
{
    const struct json *v;
    memset(&err, 0, sizeof err);
    assert_int_equal(doc_open(&d, &a, text, strlen(text), "t", 0, &v, &err), 0);
    form_usual(&kept_form, k);
    return form_read(&(struct form_in){NULL, &d, v, NULL}, &kept_form, k);
}

static void json_is_kept_as_it_is(void **state)
{
    struct json_writer w;
    struct kept k;
    struct buf b;
    assert_int_equal(read_kept("{list: [1, {a: 2}], here: {text: x}}", &k), 0);
    assert_string_equal(k.list, "[1,{\"a\":2}]");
    buf_init(&b, 0);
    for (int i = 0; i < 2; i++) {
        json_init(&w, &b, false, NULL);
        json_obj(&w, NULL);
        assert_int_equal(form_write(&(struct form_out){.w = &w}, &kept_form, &k), 0);
        json_end(&w);
        form_usual(&kept_form, &k);
    }
    assert_string_equal(buf_str(&b), "{\"list\":[1,{\"a\":2}],\"here\":{\"text\":\"x\"}}{}");
    buf_done(&b);
    assert_int_equal(read_kept("{list: {}}", &k), -1);
    assert_string_equal(err.text, "t:1: list: must be a list, not an empty object");
    assert_int_equal(read_kept("{text: x}", &k), -1); /* no member of documents */
    assert_string_equal(err.where, "text");
}

static void forms_are_paths_and_schemas(void **state)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    form_paths(&b, &thing_form);
    assert_string_equal(buf_str(&b),
                        "title note mood open size wide kind at zone rights.* flag shown extra.** "
                        "texts.** friend parts.*.name parts.*.weight parts.*.good main.name "
                        "main.weight own elsewhere");
    buf_done(&b);
    buf_init(&b, 0);
    form_paths(&b, &kept_form);
    assert_string_equal(buf_str(&b), "list.* here.text");
    buf_done(&b);
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    form_schema(&w, &main_form);
    json_end(&w);
    assert_string_equal(
        buf_str(&b),
        "{\"title\":\"The main part\",\"type\":\"object\",\"additionalProperties\":false,"
        "\"required\":[],\"properties\":{\"name\":{\"description\":\"Its name\",\"type\":["
        "\"string\",\"null\"]},\"weight\":{\"description\":\"Its weight\",\"type\":["
        "\"integer\",\"null\"],\"minimum\":1,\"maximum\":9}}}");
    /* Others read members of it besides. */
    struct form open = main_form;
    open.open = true;
    buf_clear(&b);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    form_schema(&w, &open);
    json_end(&w);
    assert_non_null(strstr(buf_str(&b), "\"type\":\"object\",\"required\":[],\"properties\":"));
    assert_null(strstr(buf_str(&b), "additionalProperties"));
    buf_done(&b);
}

/* A part is in a struct of its own, an enum begins below 0, and a member is never dumped. */
static void parts_and_enums_begin_anywhere(void **state)
{
    struct whole {
        int64_t before;
        struct inside {
            int grade;
            const char *text;
        } in;
    };
    static const char *const grades[] = {"low", "usual", "high", NULL};
    static const struct member inside_members[] = {
        {"grade", "Its grade", ENUM_AT(struct inside, grade, grades), .min = -1},
        {"text", "Its text", TEXT_AT(struct inside, text)},
    };
    static const struct form inside_form = FORM("Inside", inside_members);
    static const struct member whole_members[] = {
        {"before", "A number", INT_AT(struct whole, before, 0, 9)},
        PART_AT(struct whole, in, &inside_form),
        {"given", "As people write it", .kind = MEMBER_OWN, .noun = "text", .flags = MEMBER_GIVEN},
        {"words", "Words", .kind = MEMBER_OWN, .noun = "list of texts"},
    };
    static const struct form form = FORM("Whole", whole_members);
    struct whole t = {.before = 1}, base;
    const struct json *v;
    const char *text = "{grade: low, text: x, given: y, before: 4}";
    memset(&err, 0, sizeof err);
    assert_int_equal(doc_open(&d, &a, text, strlen(text), "t", 0, &v, &err), 0);
    form_usual(&form, &t);
    assert_int_equal(t.in.grade, 0);
    base = t;
    assert_int_equal(form_read(&(struct form_in){NULL, &d, v, NULL}, &form, &t), 0);
    assert_int_equal(t.in.grade, -1);
    assert_string_equal(t.in.text, "x");
    assert_int_equal(t.before, 4);
    assert_false(form_same(&form, &t, &base));
    base.in = t.in;
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    assert_int_equal(form_write(&(struct form_out){NULL, &w}, &form, &t), 0);
    assert_int_equal(form_write(&(struct form_out){NULL, &w, &base}, &form, &t), 0);
    assert_int_equal(form_write_member(&(struct form_out){NULL, &w}, &form, "grade", &t), 0);
    json_end(&w);
    assert_string_equal(buf_str(&b), "{\"before\":4,\"grade\":\"low\",\"text\":\"x\",\"before\":4,"
                                     "\"grade\":\"low\"}");
    buf_done(&b);
    buf_init(&b, 0);
    form_paths(&b, &form);
    assert_string_equal(buf_str(&b), "before grade text words.*");
    buf_done(&b);
}

static void a_reference_that_fails_is_no_fault_of_the_document(void **state)
{
    struct thing t;
    usual(&t);
    assert_int_equal(read_over("{title: x, friend: broken}", &t), -1);
    assert_int_equal(err.code, SOSIA_E_OK);
}

/* A part that is in a table already is named, and a form in two places has one table. */
static void forms_are_tables_for_people(void **state)
{
    static const struct member both[] = {
        PART(&shared_form),
        {"one", "A part", LIST_AT(struct thing, parts, n_parts, &part_form)},
        {"two", "Another", LIST_AT(struct thing, parts, n_parts, &part_form)},
    };
    static const struct form outer = FORM("Both", both);
    struct buf b;
    buf_init(&b, 0);
    form_markdown(&b, &outer, "outer");
    form_markdown(&b, &thing_form, "things");
    assert_string_equal(
        buf_str(&b),
        "\n### `outer`: Both\n\n| member | type | what it says |\n|---|---|---|\n"
        "| `open` | true or false | It is open |\n"
        "| `size` | number from -5 to 20 | Its size |\n"
        "| `one` | list | A part |\n"
        "| `two` | list | Another |\n"
        "\n### `outer.one`: A part\n\n| member | type | what it says |\n|---|---|---|\n"
        "| `name` (required) | text | Its name |\n"
        "| `weight` | number from 1 to 9 | Its weight |\n"
        "| `good` | true or false | It is good |\n"
        "\n### `things`: A thing\n\n| member | type | what it says |\n|---|---|---|\n"
        "| `title` (required) | text | The line on top |\n"
        "| `note` | text | A note |\n"
        "| `mood` | `gay`, `grave` | Its mood |\n"
        "| `open` ... `size` | | As above |\n"
        "| `wide` | number from -9223372036854775808 | A wide number |\n"
        "| `kind` | `small`, `large` | Its kind |\n"
        "| `at` | time | When it was |\n"
        "| `zone` | time zone | Where it is |\n"
        "| `rights` | list of `see`, `touch`, `take` | What others may do |\n"
        "| `flag` | true or false | A flag |\n"
        "| `shown` | true or false | Another flag |\n"
        "| `extra` | object | Whatever |\n"
        "| `texts` | object of texts | Texts |\n"
        "| `friend` | a friend's name | Its friend |\n"
        "| `parts` | list | Its parts |\n"
        "| `main` | object | Its main part |\n"
        "| `own` | list | Whatever hooks say |\n"
        "| `elsewhere` | list | Read by the caller |\n"
        "\n### `things.main`: The main part\n\n| member | type | what it says |\n|---|---|---|\n"
        "| `name` | text | Its name |\n"
        "| `weight` | number from 1 to 9 | Its weight |\n");
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_usual_row_is_written_without_members, setup, teardown),
        cmocka_unit_test_setup_teardown(what_was_written_is_read_again, setup, teardown),
        cmocka_unit_test_setup_teardown(a_change_leaves_the_rest_as_it_is, setup, teardown),
        cmocka_unit_test_setup_teardown(each_member_is_compared, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_said_with_its_place, setup, teardown),
        cmocka_unit_test_setup_teardown(parts_and_enums_begin_anywhere, setup, teardown),
        cmocka_unit_test(forms_are_tables_for_people),
        cmocka_unit_test(forms_are_paths_and_schemas),
        cmocka_unit_test_setup_teardown(json_is_kept_as_it_is, setup, teardown),
        cmocka_unit_test_setup_teardown(a_reference_that_fails_is_no_fault_of_the_document, setup,
                                        teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
