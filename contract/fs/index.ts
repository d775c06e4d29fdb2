/** The contract of `FileSystem`, as cases that any test runner, page or worker can run. */
export { contractCases } from './cases/index.js'
export { unmetNeed } from './needs.js'
export { runCase } from './run-case.js'
export {
  type CaseResult,
  type ContractReport,
  type Deviations,
  runContract,
  skipReason,
  unknownDeviations,
} from './run-contract.js'
export type {
  Abilities,
  Call,
  Content,
  ContractCase,
  ContractTarget,
  ExpectedSource,
  ExpectedStat,
  Failure,
  LinkRule,
  MethodName,
  OneOf,
  Step,
  Together,
  Tree,
  TreeNode,
  Watch,
} from './types.js'
