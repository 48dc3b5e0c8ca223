// SPDX-License-Identifier: Apache-2.0
'use strict';
// The vendors' hosts, as the engine lists them where no vendor answers.

function hostsOf(made) {
  return Object.freeze([...new Set(made.json().served.flatMap(served => served.hosts ?? []))]);
}

/** Whether a host, with a port or not, is in a list of names and '*.NAME'. */
function matches(list, host) {
  const name = String(host).replace(/:\d+$/, '').toLowerCase();
  return list.some(entry => entry.startsWith('*.') ? name.endsWith(entry.slice(1)) : name === entry);
}

module.exports = { hostsOf, matches };
