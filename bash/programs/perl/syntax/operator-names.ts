/** Operators as warnings name them. */
export const operatorNames: Readonly<Record<string, string>> = {
  '+': 'addition (+)',
  '-': 'subtraction (-)',
  '*': 'multiplication (*)',
  '/': 'division (/)',
  '%': 'modulus (%)',
  '**': 'exponentiation (**)',
  '.': 'concatenation (.) or string',
  x: 'repeat (x)',
  '&': 'bitwise and (&)',
  '|': 'bitwise or (|)',
  '^': 'bitwise xor (^)',
  '<<': 'left bitshift (<<)',
  '>>': 'right bitshift (>>)',
  '==': 'numeric eq (==)',
  '!=': 'numeric ne (!=)',
  '<': 'numeric lt (<)',
  '>': 'numeric gt (>)',
  '<=': 'numeric le (<=)',
  '>=': 'numeric ge (>=)',
  '<=>': 'numeric comparison (<=>)',
  eq: 'string eq',
  ne: 'string ne',
  lt: 'string lt',
  gt: 'string gt',
  le: 'string le',
  ge: 'string ge',
  cmp: 'string comparison (cmp)',
}

/** Those that take text. */
export const ofText: ReadonlySet<string> = new Set(['.', 'eq', 'ne', 'lt', 'gt', 'le', 'ge', 'cmp'])
