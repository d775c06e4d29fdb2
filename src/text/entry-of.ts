/**
 * The entry of a table under a name from outside. Plain indexing also finds what every object inherits: `constructor`, `toString` and
 * others, which nobody put into the table.
 */
export function entryOf<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
}
