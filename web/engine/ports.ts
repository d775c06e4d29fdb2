/** Ports are transferred to and from a worker; everything else is copied. */
export function ports(values: readonly unknown[]): MessagePort[] {
  return values.filter((value) => value instanceof MessagePort)
}
