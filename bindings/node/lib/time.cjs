// SPDX-License-Identifier: Apache-2.0
'use strict';
// Times and lengths of time, in microseconds as the engine has them.

const UNITS = { days: 86400e6, hours: 3600e6, minutes: 60e6, seconds: 1e6, ms: 1e3, us: 1 };

/** Milliseconds, or {days, hours, minutes, seconds, ms, us}, as a BigInt of microseconds. */
function microseconds(by) {
  const parts = typeof by === 'number' ? { ms: by } : by;
  if (typeof parts !== 'object' || parts === null) throw new TypeError('a length of time must be milliseconds, or an object of days, hours, minutes, seconds, ms, us');
  let sum = 0;
  for (const [unit, n] of Object.entries(parts)) {
    if (!(unit in UNITS)) throw new TypeError(`a unit of time must be one of ${Object.keys(UNITS).join(', ')}, not ${JSON.stringify(unit)}`);
    if (!Number.isFinite(n)) throw new TypeError(`${unit} must be a finite number, not ${n}`);
    sum += n * UNITS[unit];
  }
  return BigInt(Math.round(sum));
}

/** A Date, or RFC 3339 down to a microsecond, as a BigInt of microseconds. */
function timeOf(now) {
  if (now instanceof Date) now = now.toISOString();
  const m = typeof now === 'string' && /^(.*:\d\d)(?:\.(\d{1,6})\d*)?(Z|[+-]\d\d:\d\d)$/.exec(now);
  const ms = m ? Date.parse(m[1] + m[3]) : NaN;
  if (Number.isNaN(ms)) throw new TypeError(`a time must be a Date or like 2026-03-02T09:00:00Z, not ${JSON.stringify(now)}`);
  return BigInt(ms) * 1000n + BigInt((m[2] ?? '').padEnd(6, '0'));
}

/** RFC 3339 with six digits, as the control interface writes it. */
function timeText(us) {
  const all = BigInt(us);
  const rest = ((all % 1000000n) + 1000000n) % 1000000n;
  return `${new Date(Number((all - rest) / 1000n)).toISOString().slice(0, 19)}.${rest.toString().padStart(6, '0')}Z`;
}

module.exports = { microseconds, timeOf, timeText };
