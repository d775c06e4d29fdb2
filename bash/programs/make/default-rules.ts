/** The rules and variables that make has by itself. */
import { patternOf, wordsOf } from './characters.js'
import { newDependency, type Recipe } from './files.js'
import { enterPrerequisites } from './read/record-rule.js'
import type { MakeState } from './state.js'
import { addPatternRule } from './update/pattern-rules.js'

const suffixes =
  '.out .a .ln .o .c .cc .C .cpp .p .f .F .m .r .y .l .ym .yl .s .S .mod .sym .def .h .info .dvi .tex .texinfo .texi .txinfo .w .ch .web .sh .elc .el'

const yacc = '$(YACC.y) $< \n mv -f y.tab.c $@\n'
const info = '$(MAKEINFO) $(MAKEINFO_FLAGS) $< -o $@\n'
const texiToDvi = '$(TEXI2DVI) $(TEXI2DVI_FLAGS) $<\n'

const suffixRules: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    wordsOf('.o .c .cc .C .cpp .p .f .F .m .r .s .S').map((name) => [
      name,
      `$(LINK${name}) $^ $(LOADLIBES) $(LDLIBS) -o $@\n`,
    ]),
  ),
  '.mod': '$(COMPILE.mod) -o $@ -e $@ $^\n',
  '.sh': 'cat $< >$@ \n chmod a+x $@\n',
  ...Object.fromEntries(
    wordsOf('.c .cc .C .cpp .p .f .F .m .r').map((name) => [`${name}.o`, `$(COMPILE${name}) $(OUTPUT_OPTION) $<\n`]),
  ),
  ...Object.fromEntries(wordsOf('.s .S .mod').map((name) => [`${name}.o`, `$(COMPILE${name}) -o $@ $<\n`])),
  '.F.f': '$(PREPROCESS.F) $(OUTPUT_OPTION) $<\n',
  '.r.f': '$(PREPROCESS.r) $(OUTPUT_OPTION) $<\n',
  '.S.s': '$(PREPROCESS.S) $< > $@\n',
  '.c.ln': '$(LINT.c) -C$* $<\n',
  '.y.ln': '$(YACC.y) $< \n $(LINT.c) -C$* y.tab.c \n $(RM) y.tab.c\n',
  '.l.ln': '@$(RM) $*.c\n $(LEX.l) $< > $*.c\n$(LINT.c) -i $*.c -o $@\n $(RM) $*.c\n',
  '.y.c': yacc,
  '.ym.m': '$(YACC.m) $< \n mv -f y.tab.c $@\n',
  '.l.c': '@$(RM) $@ \n $(LEX.l) $< > $@\n',
  '.lm.m': '@$(RM) $@ \n $(LEX.m) $< > $@\n',
  '.l.r': '$(LEX.l) $< > $@ \n mv -f lex.yy.r $@\n',
  '.def.sym': '$(COMPILE.def) -o $@ $<\n',
  '.tex.dvi': '$(TEX) $<\n',
  '.w.tex': '$(CWEAVE) $< - $@\n',
  '.web.tex': '$(WEAVE) $<\n',
  '.w.c': '$(CTANGLE) $< - $@\n',
  '.web.p': '$(TANGLE) $<\n',
  '.texinfo.info': info,
  '.texi.info': info,
  '.txinfo.info': info,
  '.texinfo.dvi': texiToDvi,
  '.texi.dvi': texiToDvi,
  '.txinfo.dvi': texiToDvi,
}

/** Target, prerequisites, recipe. With `::`, the prerequisite must be there. */
const patternRules: readonly (readonly [string, string, string])[] = [
  ['(%):', '%', '$(AR) $(ARFLAGS) $@ $<\n'],
  ['%.out:', '%', '@rm -f $@ \n cp $< $@\n'],
  ['%.c:', '%.w %.ch', '$(CTANGLE) $^ $@\n'],
  ['%.tex:', '%.w %.ch', '$(CWEAVE) $^ $@\n'],
  ['%::', '%,v', '$(CHECKOUT,v)\n'],
  ['%::', 'RCS/%,v', '$(CHECKOUT,v)\n'],
  ['%::', 'RCS/%', '$(CHECKOUT,v)\n'],
  ['%::', 's.%', '$(GET) $(GFLAGS) $(SCCS_OUTPUT_OPTION) $<\n'],
  ['%::', 'SCCS/s.%', '$(GET) $(GFLAGS) $(SCCS_OUTPUT_OPTION) $<\n'],
]

const compiler = (name: string, flags: string) => `$(${name}) ${flags} $(TARGET_ARCH) -c`
const linker = (name: string, flags: string) => `$(${name}) ${flags} $(LDFLAGS) $(TARGET_ARCH)`

const variables: Readonly<Record<string, string>> = {
  AR: 'ar',
  ARFLAGS: 'rv',
  AS: 'as',
  CC: 'cc',
  CO: 'co',
  COFLAGS: '',
  CPP: '$(CC) -E',
  CTANGLE: 'ctangle',
  CWEAVE: 'cweave',
  CXX: 'g++',
  F77: '$(FC)',
  F77FLAGS: '$(FFLAGS)',
  FC: 'f77',
  GET: 'get',
  LD: 'ld',
  LEX: 'lex',
  LINT: 'lint',
  M2C: 'm2c',
  MAKEINFO: 'makeinfo',
  OBJC: 'cc',
  OUTPUT_OPTION: '-o $@',
  PC: 'pc',
  RM: 'rm -f',
  TANGLE: 'tangle',
  TEX: 'tex',
  TEXI2DVI: 'texi2dvi',
  WEAVE: 'weave',
  YACC: 'yacc',
  'CHECKOUT,v': '+$(if $(wildcard $@),,$(CO) $(COFLAGS) $< $@)',
  'COMPILE.c': compiler('CC', '$(CFLAGS) $(CPPFLAGS)'),
  'COMPILE.cc': compiler('CXX', '$(CXXFLAGS) $(CPPFLAGS)'),
  'COMPILE.C': '$(COMPILE.cc)',
  'COMPILE.cpp': '$(COMPILE.cc)',
  'COMPILE.def': compiler('M2C', '$(M2FLAGS) $(DEFFLAGS)'),
  'COMPILE.f': compiler('FC', '$(FFLAGS)'),
  'COMPILE.F': compiler('FC', '$(FFLAGS) $(CPPFLAGS)'),
  'COMPILE.m': compiler('OBJC', '$(OBJCFLAGS) $(CPPFLAGS)'),
  'COMPILE.mod': compiler('M2C', '$(M2FLAGS) $(MODFLAGS)'),
  'COMPILE.p': compiler('PC', '$(PFLAGS) $(CPPFLAGS)'),
  'COMPILE.r': compiler('FC', '$(FFLAGS) $(RFLAGS)'),
  'COMPILE.s': '$(AS) $(ASFLAGS) $(TARGET_MACH)',
  'COMPILE.S': '$(CC) $(ASFLAGS) $(CPPFLAGS) $(TARGET_MACH) -c',
  'LEX.l': '$(LEX) $(LFLAGS) -t',
  'LEX.m': '$(LEX) $(LFLAGS) -t',
  'LINK.c': linker('CC', '$(CFLAGS) $(CPPFLAGS)'),
  'LINK.cc': linker('CXX', '$(CXXFLAGS) $(CPPFLAGS)'),
  'LINK.C': '$(LINK.cc)',
  'LINK.cpp': '$(LINK.cc)',
  'LINK.f': linker('FC', '$(FFLAGS)'),
  'LINK.F': linker('FC', '$(FFLAGS) $(CPPFLAGS)'),
  'LINK.m': linker('OBJC', '$(OBJCFLAGS) $(CPPFLAGS)'),
  'LINK.o': '$(CC) $(LDFLAGS) $(TARGET_ARCH)',
  'LINK.p': linker('PC', '$(PFLAGS) $(CPPFLAGS)'),
  'LINK.r': linker('FC', '$(FFLAGS) $(RFLAGS)'),
  'LINK.s': '$(CC) $(ASFLAGS) $(LDFLAGS) $(TARGET_MACH)',
  'LINK.S': '$(CC) $(ASFLAGS) $(CPPFLAGS) $(LDFLAGS) $(TARGET_MACH)',
  'LINT.c': '$(LINT) $(LINTFLAGS) $(CPPFLAGS) $(TARGET_ARCH)',
  'PREPROCESS.F': '$(FC) $(FFLAGS) $(CPPFLAGS) $(TARGET_ARCH) -F',
  'PREPROCESS.r': '$(FC) $(FFLAGS) $(RFLAGS) $(TARGET_ARCH) -F',
  'PREPROCESS.S': '$(CC) -E $(CPPFLAGS)',
  'YACC.m': '$(YACC) $(YFLAGS)',
  'YACC.y': '$(YACC) $(YFLAGS)',
  '.LIBPATTERNS': 'lib%.so lib%.a',
}

function recipeOf(text: string): Recipe {
  return { text, place: { file: undefined, line: 0, offset: 0 }, prefix: '\t', flags: [], hasRecursive: false }
}

/** Before makefiles are read: they can replace any of it. */
export function installDefaults(make: MakeState): void {
  const { hasRules, hasVariables } = make.options
  const file = make.files.enter('.SUFFIXES')
  if (hasRules) file.deps = enterPrerequisites(make, wordsOf(suffixes).map(newDependency))
  make.define('SUFFIXES', hasRules ? suffixes : '', 'default')
  if (hasRules) {
    for (const [name, text] of Object.entries(suffixRules)) make.files.enterSingle(name).recipe = recipeOf(text)
  }
  if (!hasVariables) return
  for (const [name, value] of Object.entries(variables)) make.define(name, value, 'default', { isRecursive: true })
}

/** After makefiles are read: rules with the same patterns count instead. */
export function installPatternRules(make: MakeState): void {
  if (!make.options.hasRules) return
  for (const [target, prerequisites, text] of patternRules) {
    const rule = {
      targets: [patternOf(target.replace(/:+$/, ''))],
      deps: wordsOf(prerequisites).map(newDependency),
      recipe: recipeOf(text),
      isTerminal: target.endsWith('::'),
    }
    addPatternRule(make, rule, false)
  }
}
