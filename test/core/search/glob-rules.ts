import { defaultGlobRules, type GlobRules } from '../../../src/search/patterns/glob.js'

/** Every kind of rules that callers use, beside the default. */
export const globRules = {
  fromBase: { ...defaultGlobRules, slashless: 'at-base' },
  fromBaseDotsNamed: { ...defaultGlobRules, slashless: 'at-base', dot: false },
  dotsNamed: { ...defaultGlobRules, dot: false },
  anyCase: { ...defaultGlobRules, ignoreCase: true },
  wildAtAnyDepth: { ...defaultGlobRules, slashless: 'wild-at-any-depth', ignoreCase: true },
  starsCross: { ...defaultGlobRules, slashless: 'at-base', starCrosses: true, loneBraces: true },
} satisfies Record<string, GlobRules>
