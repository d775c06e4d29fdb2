/** The requested part of a file in `fs.read_file`. */
import * as z from 'zod'

const count = z.int().min(0)

export const readArguments = z
  .object({
    path: z.string().describe('File to read, from the server root.'),
    range_type: z.enum(['bytes', 'lines']).exactOptional().describe('lines if a line field is given, else bytes.'),
    offset_bytes: count.exactOptional().describe('First byte, from 0.'),
    max_bytes: count.exactOptional().describe('Most bytes to return; 65536 by default.'),
    start_line: count.exactOptional().describe('First line, from 1.'),
    max_lines: count.exactOptional().describe('Most lines to return; 200 by default.'),
  })
  .check(({ value, issues }) => {
    const fault = faultOf(value)
    if (fault !== undefined) issues.push({ code: 'custom', message: fault, input: value })
  })

export type ReadArguments = z.output<typeof readArguments>

/** The range as returned to the client: fields that do not apply are null, and defaults are filled in. */
export type Range =
  | { range_type: 'bytes'; offset_bytes: number; max_bytes: number; start_line: null; max_lines: null }
  | { range_type: 'lines'; offset_bytes: null; max_bytes: null; start_line: number; max_lines: number }

export function rangeOf(args: ReadArguments): Range {
  if (typeOf(args) === 'bytes') {
    const { offset_bytes = 0, max_bytes = 65_536 } = args
    return { range_type: 'bytes', offset_bytes, max_bytes, start_line: null, max_lines: null }
  }
  const { start_line = 1, max_lines = 200 } = args
  return { range_type: 'lines', offset_bytes: null, max_bytes: null, start_line, max_lines }
}

function typeOf(args: ReadArguments): 'bytes' | 'lines' {
  return args.range_type ?? (hasLines(args) ? 'lines' : 'bytes')
}

function faultOf(args: ReadArguments): string | undefined {
  const isBytes = typeOf(args) === 'bytes'
  if (isBytes && hasLines(args)) return `${invalid}: start_line/max_lines cannot be used with bytes range_type`
  if (!isBytes && hasBytes(args)) return `${invalid}: offset_bytes/max_bytes cannot be used with lines range_type`
  return args.start_line === 0 ? 'start_line must be >= 1' : undefined
}

const invalid = 'invalid read_file arguments'

function hasLines({ start_line, max_lines }: ReadArguments): boolean {
  return start_line !== undefined || max_lines !== undefined
}

function hasBytes({ offset_bytes, max_bytes }: ReadArguments): boolean {
  return offset_bytes !== undefined || max_bytes !== undefined
}
