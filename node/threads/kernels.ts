/** For reading files into: the kernels of the core. */
export { createKernels, type Kernels } from '../../src/search/bytes/kernels/kernels.js'
