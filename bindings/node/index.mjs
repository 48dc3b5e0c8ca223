// SPDX-License-Identifier: Apache-2.0
import sosia from './index.cjs';

export const { Actor, Answer, connect, Delivery, Engine, intercept, RefusedError, RemoteEngine, RemoteWorld, Sockets, SosiaError, Stream, Suite, versions, World, WorldReceiver } = sosia;
export default sosia;
