import type { ViewProps } from '../app/views';
export default function Worlds(_: ViewProps) { return <p>worlds</p>; }
