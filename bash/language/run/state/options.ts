/** The options of `set -o` and `shopt`. */

/** `set -o` names with their letters. */
export const setOptions: ReadonlyArray<readonly [name: string, letter: string | undefined]> = [
  ['allexport', 'a'],
  ['braceexpand', 'B'],
  ['emacs', undefined],
  ['errexit', 'e'],
  ['errtrace', 'E'],
  ['functrace', 'T'],
  ['hashall', 'h'],
  ['histexpand', 'H'],
  ['history', undefined],
  ['ignoreeof', undefined],
  ['interactive-comments', undefined],
  ['keyword', 'k'],
  ['monitor', 'm'],
  ['noclobber', 'C'],
  ['noexec', 'n'],
  ['noglob', 'f'],
  ['nolog', undefined],
  ['notify', 'b'],
  ['nounset', 'u'],
  ['onecmd', 't'],
  ['physical', 'P'],
  ['pipefail', undefined],
  ['posix', undefined],
  ['privileged', 'p'],
  ['verbose', 'v'],
  ['vi', undefined],
  ['xtrace', 'x'],
]

/** Options of `set` that nothing here obeys: to turn one on fails. */
export const unsupportedSetOptions: ReadonlySet<string> = new Set(['keyword', 'onecmd'])

/** The same of `shopt`. */
export const unsupportedShopts: ReadonlySet<string> = new Set([
  'compat31',
  'compat32',
  'compat40',
  'compat41',
  'compat42',
  'compat43',
  'compat44',
  'extdebug',
  'gnu_errfmt',
  'localvar_unset',
  'restricted_shell',
  'varredir_close',
])

/** The order of letters in `$-`. */
const letterOrder = 'abefhikmnprtuvxBCEHPT'

export const shoptNames: readonly string[] = [
  'autocd',
  'assoc_expand_once',
  'cdable_vars',
  'cdspell',
  'checkhash',
  'checkjobs',
  'checkwinsize',
  'cmdhist',
  'compat31',
  'compat32',
  'compat40',
  'compat41',
  'compat42',
  'compat43',
  'compat44',
  'complete_fullquote',
  'direxpand',
  'dirspell',
  'dotglob',
  'execfail',
  'expand_aliases',
  'extdebug',
  'extglob',
  'extquote',
  'failglob',
  'force_fignore',
  'globasciiranges',
  'globskipdots',
  'globstar',
  'gnu_errfmt',
  'histappend',
  'histreedit',
  'histverify',
  'hostcomplete',
  'huponexit',
  'inherit_errexit',
  'interactive_comments',
  'lastpipe',
  'lithist',
  'localvar_inherit',
  'localvar_unset',
  'login_shell',
  'mailwarn',
  'no_empty_cmd_completion',
  'nocaseglob',
  'nocasematch',
  'noexpand_translation',
  'nullglob',
  'patsub_replacement',
  'progcomp',
  'progcomp_alias',
  'promptvars',
  'restricted_shell',
  'shift_verbose',
  'sourcepath',
  'varredir_close',
  'xpg_echo',
]

/** Whether there is such an option, of either kind, that can be turned on. */
export function isOption(name: string): boolean {
  const isUnsupported = unsupportedSetOptions.has(name) || unsupportedShopts.has(name)
  return !isUnsupported && (shoptNames.includes(name) || setOptions.some(([known]) => known === name))
}

const shoptDefaults = [
  'checkwinsize',
  'cmdhist',
  'complete_fullquote',
  'extquote',
  'force_fignore',
  'globasciiranges',
  'globskipdots',
  'hostcomplete',
  'interactive_comments',
  'patsub_replacement',
  'progcomp',
  'promptvars',
  'sourcepath',
]

/** The options that are on. Copied for each subshell. */
export class Options {
  #on: Set<string>
  #shared = false
  errexit = false
  nounset = false
  xtrace = false
  pipefail = false
  noglob = false
  noexec = false
  allexport = false

  constructor(on: Iterable<string> = ['braceexpand', 'hashall', 'interactive-comments', ...shoptDefaults]) {
    this.#on = new Set(on)
    this.#mirror()
  }

  has(name: string): boolean {
    return this.#on.has(name)
  }

  set(name: string, on: boolean): void {
    if (this.#shared) this.#on = new Set(this.#on)
    this.#shared = false
    if (on) this.#on.add(name)
    else this.#on.delete(name)
    this.#mirror()
  }

  /** Shares everything until one side changes. */
  copy(): Options {
    const copy = new Options([])
    copy.#on = this.#on
    copy.#shared = true
    this.#shared = true
    copy.#mirror()
    return copy
  }

  /** The names of those that are on, for `SHELLOPTS` and `BASHOPTS`. */
  names(kind: 'set' | 'shopt'): string[] {
    const all = kind === 'set' ? setOptions.map(([name]) => name) : [...shoptNames].sort()
    return all.filter((name) => this.has(name))
  }

  /** `$-` */
  letters(): string {
    const on = setOptions.flatMap(([name, letter]) => (letter !== undefined && this.has(name) ? [letter] : []))
    return on.sort((a, b) => letterOrder.indexOf(a) - letterOrder.indexOf(b)).join('')
  }

  /** The options that are asked for often, as fields. */
  #mirror(): void {
    this.errexit = this.has('errexit')
    this.nounset = this.has('nounset')
    this.xtrace = this.has('xtrace')
    this.pipefail = this.has('pipefail')
    this.noglob = this.has('noglob')
    this.noexec = this.has('noexec')
    this.allexport = this.has('allexport')
  }
}
