/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks of worlds. */
#include "engine/text/civil.h"
#include "server/control/operation.h"
#include <stdio.h>

/* 0.005: as many digits as there are. */
static void write_step(struct json_writer *w, int64_t step_us)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%lld.%03d", (long long)(step_us / 1000),
                     (int)(step_us % 1000));
    while (text[n - 1] == '0')
        n--;
    if (text[n - 1] == '.')
        n--;
    json_number(w, "step_ms", text, (size_t)n);
}

void control_write_clock(struct json_writer *w, const struct sosia_world_info *info)
{
    json_time(w, "now", info->now_us, JSON_TIME_US_Z);
    json_str(w, "clock", control_clocks[info->clock]);
    if (info->clock == SOSIA_CLOCK_STEP)
        write_step(w, info->step_us);
}

int control_clock_get(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_world_info info;
    struct json_writer w;
    struct buf b;
    if (sosia_world_info(c->engine, c->world, &info, &c->err) < 0)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    control_write_clock(&w, &info);
    json_end(&w);
    return control_answer(c, 200, &b);
}

int control_clock_put(struct call *call)
{
    struct control_call *c = control_of(call);
    const struct control_value *now = control_given(c, "now");
    bool set_mode = control_given(c, "clock") || control_given(c, "step_ms");
    struct sosia_world_info info;
    if (!now && !set_mode)
        return control_fail(c, NULL,
                            "at least one of now, clock and step_ms must be given, none is");
    if (sosia_world_info(c->engine, c->world, &info, &c->err) < 0)
        return -1;
    enum sosia_clock_mode mode = (enum sosia_clock_mode)control_number(c, "clock", info.clock);
    int64_t step = control_step(c, info.step_us);
    if (mode == SOSIA_CLOCK_STEP && !step)
        return control_fail(c, "step_ms", "must be given for the clock \"step\", is missing");
    if (mode != SOSIA_CLOCK_STEP && control_given(c, "step_ms"))
        return control_fail(c, "step_ms",
                            "must be absent unless clock is \"step\", is given for \"%s\"",
                            control_clocks[mode]);
    if (set_mode && sosia_clock_mode(c->engine, c->world, mode, step, &c->err) < 0)
        return -1;
    if (now && sosia_clock_set(c->engine, c->world, now->number, &c->err) < 0)
        return -1;
    return control_clock_get(call);
}

int control_clock_advance(struct call *call)
{
    struct control_call *c = control_of(call);
    const struct control_value *seconds = control_given(c, "seconds"), *us = control_given(c, "us");
    if (!seconds == !us)
        return control_fail(c, "seconds", "must be given, or us in its place: %s",
                            us ? "both are given" : "neither is given");
    int64_t delta = us ? us->number : seconds->number * US_PER_SECOND;
    if (sosia_clock_advance(c->engine, c->world, delta, &c->err) < 0)
        return -1;
    return control_clock_get(call);
}
