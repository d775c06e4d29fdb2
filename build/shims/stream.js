/** memfs derives its stream classes from these when it is loaded; we never make one. */
export function Readable() {}

export function Writable() {}
