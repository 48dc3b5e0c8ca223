/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SOSIA_DRIVE_CALC_H
#define SOSIA_DRIVE_CALC_H

#include "services/drive/core/document/document.h"

/* Makes formulas of the texts of a sheet that begin with '=', and gives their cells the values;
 * what cannot be worked out stays text (calc.c). Values are in the arena. 0; -1: it is full. */
int sheet_calculate(struct arena *a, struct sheet *s, enum sheet_powers powers);

#endif
