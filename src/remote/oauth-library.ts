/**
 * What is used of `oauth4webapi`. It is loaded with `import()` of this file: of a library that is itself loaded so, the bundler
 * would leave nothing out, and most of it is about other flows.
 */
export {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  ClientSecretBasic,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  clockTolerance,
  customFetch,
  discoveryRequest,
  getValidatedIdTokenClaims,
  processAuthorizationCodeResponse,
  processClientCredentialsResponse,
  processDiscoveryResponse,
  processUserInfoResponse,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi'
