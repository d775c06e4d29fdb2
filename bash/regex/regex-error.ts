/** A pattern that is wrong, or that asks for more than this engine does. The message is that of the GNU C library. */
export class RegexError extends Error {}

export const messages = {
  brackets: 'Unmatched [, [^, [:, [., or [=',
  openGroup: 'Unmatched ( or \\(',
  closeGroup: 'Unmatched ) or \\)',
  openInterval: 'Unmatched \\{',
  interval: 'Invalid content of \\{\\}',
  range: 'Invalid range end',
  className: 'Invalid character class name',
  collation: 'Invalid collation character',
  reference: 'Invalid back reference',
  backslash: 'Trailing backslash',
  repeat: 'Invalid preceding regular expression',
  invalid: 'Invalid regular expression',
  tooBig: 'Regular expression too big',
} as const
