/* SPDX-License-Identifier: Apache-2.0 */
/* What was done in two worlds that are alike, with whatever vendors: compared in the cores' terms.
 */
#ifndef SOSIA_GRADING_ACROSS_H
#define SOSIA_GRADING_ACROSS_H

#include "sosia.h"

#define ACROSS_MAX 5000 /* changes of a world */

/*
 * The changes of each world since the state that it resets to, without consequences, as its cores
 * say them (struct entity, plain): {"equal", "same": [{"entity", "change", "person", "title"}],
 * "differences": [{"entity", "person", "title", "left", "right", "fields"}], "apart": {"left",
 * "right"}}. left and right are what happened there ("added", "removed", "changed", null: nothing);
 * fields has {"left", "right"} by dotted path. Changes that belong to each other are of one entity,
 * person and title as far as there are such. apart: heads of changes of which no core has terms. 0,
 * -1: as sosia_diff(); TOO_LARGE "tooLarge".
 */
int across_diff(struct sosia_engine *e, uint64_t left, uint64_t right, struct sosia_blob *ret_json,
                struct sosia_err *err);

#endif
