/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as the manifest of an app: the service finds faults in it, or makes an app of it, whose
 * manifest is good too and stays as it is. */
#include "fuzz/slack/slack.h"

/* A token with which manifests are worked on, in the place of the person's own. */
static void take_configuration(struct slack_world *s)
{
    struct sosia_token_options who = {.actor = "ada@acme.example",
                                      .scopes = "app_configurations:read app_configurations:write"};
    char token[SOSIA_TOKEN_MAX];
    MUST(sosia_token_issue(s->engine, s->base, &who, token, sizeof token, &why));
    snprintf(s->bearer, sizeof s->bearer, "Bearer %s", token);
}

static void export_it(struct slack_world *s, const char *app, struct arena *a)
{
    const struct json *v, *again;
    struct sosia_response *res =
        slack_any(s, "apps.manifest.export", "app_id=", app, strlen(app), a, &v);
    CHECK(slack_ok_of(v));
    const char *text = json_to_text(a, json_get(v, "manifest"));
    char more[64];
    snprintf(more, sizeof more, "app_id=%s&manifest=", app);
    struct sosia_response *second =
        slack_any(s, "apps.manifest.update", more, text, strlen(text), a, &again);
    CHECK(slack_ok_of(again));
    struct sosia_response *third =
        slack_any(s, "apps.manifest.export", "app_id=", app, strlen(app), a, &again);
    CHECK(strcmp(json_to_text(a, json_get(again, "manifest")), text) == 0);
    sosia_response_free(third);
    sosia_response_free(second);
    sosia_response_free(res);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct slack_world s;
    struct arena a;
    const struct json *good, *made;
    if (!s.engine) {
        slack_world_open(&s);
        take_configuration(&s);
    }
    if (size > 16000)
        return 0;
    arena_init(&a, 0);
    slack_world_fork(&s);
    struct sosia_response *res =
        slack_any(&s, "apps.manifest.validate", "manifest=", data, size, &a, &good);
    struct sosia_response *second =
        slack_any(&s, "apps.manifest.create", "manifest=", data, size, &a, &made);
    CHECK(slack_ok_of(good) == slack_ok_of(made));
    if (slack_ok_of(made))
        export_it(&s, json_get_str(made, "app_id"), &a);
    sosia_response_free(second);
    sosia_response_free(res);
    slack_world_drop(&s);
    arena_done(&a);
    return 0;
}
