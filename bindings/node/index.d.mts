// SPDX-License-Identifier: Apache-2.0
export * from './index.js';
import * as sosia from './index.js';
export default sosia;
