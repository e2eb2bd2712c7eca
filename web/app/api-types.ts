// Generated from the OpenAPI document by web/generate-api-types.ts. Do not edit.

export interface Operations {
  /** Run a query and return a page of rows as JSON */
  'POST /api/v1/JsonBuilder/ExecuteQuery': {
    headers: {
      /** Zero-based row offset; default 0 */
      readonly RowIndex?: number | undefined;
      /** Rows to return; above the maximum it is clamped */
      readonly RowSize?: number | undefined;
      /** QueryMoreCode of the previous page */
      readonly QueryMoreCode?: string | undefined;
      /** `no-cache`: run the query although an identical call has a result to share */
      readonly 'Cache-Control'?: string | undefined;
    };
    body: SentQuery;
    response: ResultPage;
  };
  /** Run a query and return a page of rows, with each column classified as categorical or numeric */
  'POST /api/v1/ChartBuilder/ExecuteQuery': {
    headers: {
      /** Zero-based row offset; default 0 */
      readonly RowIndex?: number | undefined;
      /** Rows to return; above the maximum it is clamped */
      readonly RowSize?: number | undefined;
      /** QueryMoreCode of the previous page */
      readonly QueryMoreCode?: string | undefined;
      /** `no-cache`: run the query although an identical call has a result to share */
      readonly 'Cache-Control'?: string | undefined;
    };
    body: SentQuery;
    response: ChartPage;
  };
  /** Like JsonBuilder/ExecuteQuery in camelCase, with the query in the path */
  'POST /api/query/execute/{queryName}': {
    params: {
      /** Technical name of an Active query */
      readonly queryName: string;
    };
    headers: {
      /** Zero-based row offset; default 0 */
      readonly RowIndex?: number | undefined;
      /** Rows to return; above the maximum it is clamped */
      readonly RowSize?: number | undefined;
      /** QueryMoreCode of the previous page */
      readonly QueryMoreCode?: string | undefined;
      /** `no-cache`: run the query although an identical call has a result to share */
      readonly 'Cache-Control'?: string | undefined;
    };
    body: ShortQuery;
    response: ShortPage;
  };
  /** The parameters that a query takes */
  'GET /api/v1/JsonBuilder/GetQueryParameters': {
    query: {
      /** Technical name of an Active query */
      readonly queryName: string;
    };
    response: DeclaredParameters;
  };
  /** Run a query and return all of its rows grouped by a label, as charts draw them */
  'POST /api/v1/ChartBuilder/Summary': {
    headers: {
      /** Zero-based row offset; default 0 */
      readonly RowIndex?: number | undefined;
      /** Rows to return; above the maximum it is clamped */
      readonly RowSize?: number | undefined;
      /** QueryMoreCode of the previous page */
      readonly QueryMoreCode?: string | undefined;
      /** `no-cache`: run the query although an identical call has a result to share */
      readonly 'Cache-Control'?: string | undefined;
    };
    body: SummaryRequest;
    response: ChartSummary;
  };
  /** An OpenAPI document with a typed operation for each query that I may run */
  'GET /api/v1/openapi.json': {
    response: Readonly<Record<string, unknown>>;
  };
  /** The choices of a parameter, from the query that its author named */
  'GET /api/v1/queries/{queryName}/choices': {
    params: {
      /** Technical name of an Active query */
      readonly queryName: string;
    };
    query: {
      /** The @Name of a parameter whose choices come from a query */
      readonly parameter: string;
      /** Only choices whose label contains this text, ignoring case */
      readonly search?: string | undefined;
      /** At most this many choices; default 50 */
      readonly limit?: number | undefined;
    };
    response: Choices;
  };
  /** Run a query and return its complete result as a file */
  'POST /api/v1/Export/ExecuteQuery': {
    query: {
      readonly format: ExportFormat;
      /** Name of the file; left out, the query's name */
      readonly fileName?: string | undefined;
    };
    body: ExportedQuery;
    response: unknown;
  };
  /** Run a query, store its complete result as a file, and return a link that is valid for ten minutes */
  'POST /api/v1/Export/CreateLink': {
    query: {
      readonly format: ExportFormat;
      /** Name of the file; left out, the query's name */
      readonly fileName?: string | undefined;
    };
    body: ExportedQuery;
    response: ExportLink;
  };
  /** The file behind a link */
  'GET /api/v1/Export/Download': {
    query: {
      /** Of a downloadUrl */
      readonly token: string;
    };
    response: unknown;
  };
  /** A link that shows a chart to viewers who do not sign in */
  'GET /api/v1/EmbeddedChart/GetEmbedUrl': {
    query: {
      /** Technical name of an Active query */
      readonly queryName: string;
      /** JSON array of {ParameterName, Value, DataType} */
      readonly parameters?: string | undefined;
      /** Default: that of the chart of the query, and required without one */
      readonly chartType?: ChartType | undefined;
      /** Column for the x axis or the labels. Default: that of the chart of the query, and required without one */
      readonly labelColumn?: string | undefined;
      /** Column for the y axis or the values; repeated: one series for each. Default: that of the chart of the query, and required without one */
      readonly dataColumn?: string | readonly string[] | undefined;
      /** Column: one series for each of its values, with one data column */
      readonly seriesColumn?: string | undefined;
      /** How several series of bars and areas are drawn; default none */
      readonly stacked?: Stacked | undefined;
      /** How rows with the same label are combined; default sum */
      readonly aggregate?: Aggregate | undefined;
      /** Order of the labels; default none, that of the rows */
      readonly sortBy?: SortBy | undefined;
      /** Unit of time that labels are grouped by, for a label with dates or times; default auto, by the range */
      readonly timeUnit?: TimeUnit | undefined;
      /** 1 to 3650, or never; default 7 */
      readonly expirationDays?: string | undefined;
      /** Default: the name of the query; empty: none */
      readonly title?: string | undefined;
      /** Pixels, 100 to 4000; default 400 */
      readonly chartHeight?: string | undefined;
      /** Default true */
      readonly showToolbar?: 'true' | 'false' | undefined;
      /** Default false */
      readonly showDataLabels?: 'true' | 'false' | undefined;
      /** Default true */
      readonly showGrid?: 'true' | 'false' | undefined;
      /** Default true */
      readonly showLegend?: 'true' | 'false' | undefined;
      /** Default bottom */
      readonly legendPosition?: LegendPosition | undefined;
      /** Default true */
      readonly enableZoom?: 'true' | 'false' | undefined;
      /** Default true */
      readonly enableAnimations?: 'true' | 'false' | undefined;
      /** Milliseconds, 0 to 10000; default 800 */
      readonly animationSpeed?: string | undefined;
      /** Default vertical */
      readonly barOrientation?: BarOrientation | undefined;
      /** Percent of the available space, 1 to 100; default 60 */
      readonly barWidth?: string | undefined;
      /** Default auto: matches the viewer's system */
      readonly theme?: ChartTheme | undefined;
      /** Pages that may frame the chart, as in a Content-Security-Policy; default: those of the settings, which hold in any case */
      readonly frameAncestors?: string | undefined;
      /** Whose rows a view shows: `issuer` (default), or `signed`: those of a viewer for whom an application signed a token */
      readonly viewer?: 'issuer' | 'signed' | undefined;
      /** Names of parameters that viewers may choose, in fields above the chart or as `@Name=` in the address. Their values are the defaults */
      readonly open?: string | readonly string[] | undefined;
      /** Patterns in addition to colors, for color-blind viewers; default false */
      readonly patterns?: 'true' | 'false' | undefined;
    };
    response: EmbedLink;
  };
  /** A link that shows a chart to viewers who do not sign in */
  'POST /api/v1/EmbeddedChart/GetEmbedUrl': {
    query: {
      /** Technical name of an Active query */
      readonly queryName: string;
      /** JSON array of {ParameterName, Value, DataType} */
      readonly parameters?: string | undefined;
      /** Default: that of the chart of the query, and required without one */
      readonly chartType?: ChartType | undefined;
      /** Column for the x axis or the labels. Default: that of the chart of the query, and required without one */
      readonly labelColumn?: string | undefined;
      /** Column for the y axis or the values; repeated: one series for each. Default: that of the chart of the query, and required without one */
      readonly dataColumn?: string | readonly string[] | undefined;
      /** Column: one series for each of its values, with one data column */
      readonly seriesColumn?: string | undefined;
      /** How several series of bars and areas are drawn; default none */
      readonly stacked?: Stacked | undefined;
      /** How rows with the same label are combined; default sum */
      readonly aggregate?: Aggregate | undefined;
      /** Order of the labels; default none, that of the rows */
      readonly sortBy?: SortBy | undefined;
      /** Unit of time that labels are grouped by, for a label with dates or times; default auto, by the range */
      readonly timeUnit?: TimeUnit | undefined;
      /** 1 to 3650, or never; default 7 */
      readonly expirationDays?: string | undefined;
      /** Default: the name of the query; empty: none */
      readonly title?: string | undefined;
      /** Pixels, 100 to 4000; default 400 */
      readonly chartHeight?: string | undefined;
      /** Default true */
      readonly showToolbar?: 'true' | 'false' | undefined;
      /** Default false */
      readonly showDataLabels?: 'true' | 'false' | undefined;
      /** Default true */
      readonly showGrid?: 'true' | 'false' | undefined;
      /** Default true */
      readonly showLegend?: 'true' | 'false' | undefined;
      /** Default bottom */
      readonly legendPosition?: LegendPosition | undefined;
      /** Default true */
      readonly enableZoom?: 'true' | 'false' | undefined;
      /** Default true */
      readonly enableAnimations?: 'true' | 'false' | undefined;
      /** Milliseconds, 0 to 10000; default 800 */
      readonly animationSpeed?: string | undefined;
      /** Default vertical */
      readonly barOrientation?: BarOrientation | undefined;
      /** Percent of the available space, 1 to 100; default 60 */
      readonly barWidth?: string | undefined;
      /** Default auto: matches the viewer's system */
      readonly theme?: ChartTheme | undefined;
      /** Pages that may frame the chart, as in a Content-Security-Policy; default: those of the settings, which hold in any case */
      readonly frameAncestors?: string | undefined;
      /** Whose rows a view shows: `issuer` (default), or `signed`: those of a viewer for whom an application signed a token */
      readonly viewer?: 'issuer' | 'signed' | undefined;
      /** Names of parameters that viewers may choose, in fields above the chart or as `@Name=` in the address. Their values are the defaults */
      readonly open?: string | readonly string[] | undefined;
      /** Patterns in addition to colors, for color-blind viewers; default false */
      readonly patterns?: 'true' | 'false' | undefined;
    };
    response: EmbedLink;
  };
  /** The chart of a token, as a page */
  'GET /api/v1/EmbeddedChart/RenderByToken': {
    query: {
      /** Of an EmbedUrl. Values of open parameters follow under their names: `&@Region=North` */
      readonly token: string;
      /** The token of a viewer, for an embed with signed viewers */
      readonly viewer?: string | undefined;
    };
    response: unknown;
  };
  /** The same, with the token of a viewer and the values of open parameters in a form body instead of the address */
  'POST /api/v1/EmbeddedChart/RenderByToken': {
    query: {
      /** Of an EmbedUrl. Values of open parameters follow under their names: `&@Region=North` */
      readonly token: string;
      /** The token of a viewer, for an embed with signed viewers */
      readonly viewer?: string | undefined;
    };
    response: unknown;
  };
  /** The chart of a token, as a picture */
  'GET /api/v1/EmbeddedChart/RenderImage': {
    query: {
      /** Of an EmbedUrl. Values of open parameters follow under their names: `&@Region=North` */
      readonly token: string;
      /** The token of a viewer, for an embed with signed viewers */
      readonly viewer?: string | undefined;
      /** Default svg */
      readonly format?: 'svg' | 'png' | undefined;
    };
    response: unknown;
  };
  /** Sign in: sets the session cookie */
  'POST /api/v1/session': {
    body: SignIn;
    response: Session;
  };
  /** The current user, and the features of this installation */
  'GET /api/v1/session': {
    query: {
      /** `true`: 200 with `null` instead of 401 if there is no valid session. An invalid key or password stays a 401. */
      readonly optional?: 'true' | 'false' | undefined;
    };
    response: Session | null;
  };
  /** Sign out: ends the session of the cookie, if there is one */
  'DELETE /api/v1/session': {
    response: null;
  };
  /** The available ways to sign in */
  'GET /api/v1/session/options': {
    response: SignInOptions;
  };
  /** Sign in through OpenID Connect: redirects to the provider */
  'GET /api/v1/session/oidc': {
    query: {
      /** The page to show after the sign-in. */
      readonly next?: string | undefined;
    };
    response: unknown;
  };
  /** The callback of the provider: sets the session cookie */
  'GET /api/v1/session/oidc/callback': {
    response: unknown;
  };
  /** The current user and their permissions */
  'GET /api/v1/account': {
    response: Account;
  };
  /** Change my password; ends all my sessions, including this one */
  'PUT /api/v1/account/password': {
    body: PasswordChange;
    response: null;
  };
  /** What concerns me: favorites, recent queries, news, drafts, failures, keys that end soon */
  'GET /api/v1/home': {
    response: Home;
  };
  /** Small charts of queries, from results of earlier calls with default values; runs no query */
  'GET /api/v1/figures': {
    query: {
      /** Technical names, with commas between them; at most 50. */
      readonly queries?: string | undefined;
    };
    response: Figures;
  };
  /** My embeds, newest first; for an Administrator everyone's */
  'GET /api/v1/embeds': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      readonly cursor?: string | undefined;
      /** Part of the name, ignoring case. */
      readonly search?: string | undefined;
    };
    response: EmbedList;
  };
  /** The last picture that was drawn of my embed, if the process has it; runs no query */
  'GET /api/v1/embeds/{id}/picture': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: EmbedPicture;
  };
  /** Give an embed a new token; the previous one ends immediately */
  'POST /api/v1/embeds/{id}/regenerate': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    body: EmbedRegeneration;
    response: EmbedLink;
  };
  /** Change lifetime and options of an embed; its link stays */
  'PATCH /api/v1/embeds/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    body: EmbedChange;
    response: Embed;
  };
  /** Revoke an embed; its link ends immediately */
  'DELETE /api/v1/embeds/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: null;
  };
  /** My data links, newest first; for an Administrator everyone's */
  'GET /api/v1/links': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      readonly cursor?: string | undefined;
      /** Part of the name, ignoring case. */
      readonly search?: string | undefined;
    };
    response: DataLinkList;
  };
  /** Create an address that returns the current rows of a query without a credential */
  'POST /api/v1/links': {
    body: NewDataLink;
    response: DataLink;
  };
  /** Give a data link a new token; the previous one ends immediately */
  'POST /api/v1/links/{id}/regenerate': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    body: DataLinkRegeneration;
    response: DataLink;
  };
  /** Revoke a data link; its address ends immediately */
  'DELETE /api/v1/links/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: null;
  };
  /** The MCP gateway and its tools */
  'GET /api/v1/mcp/tools': {
    query: {
      /** Technical names, separated by commas: the tools of a key that has one for each of these queries. */
      readonly queries?: string | undefined;
    };
    response: McpTools;
  };
  /** Try a tool with your own rights */
  'POST /api/v1/mcp/tools/{name}/call': {
    params: {
      /** The name of the tool. */
      readonly name: string;
    };
    body: Readonly<Record<string, unknown>>;
    response: Readonly<Record<string, unknown>>;
  };
  /** All settings with the values in effect */
  'GET /api/v1/settings': {
    response: SettingList;
  };
  /** Change settings while the service runs */
  'PATCH /api/v1/settings': {
    body: SettingChange;
    response: SettingList;
  };
  /** My API keys, newest first, including expired and revoked ones */
  'GET /api/v1/account/api-keys': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      readonly cursor?: string | undefined;
      /** Part of the name, ignoring case. */
      readonly search?: string | undefined;
    };
    response: ApiKeyList;
  };
  /** Create an API key; at most five are active at a time */
  'POST /api/v1/account/api-keys': {
    body: NewApiKey;
    response: CreatedApiKey;
  };
  /** Rename an API key */
  'PATCH /api/v1/account/api-keys/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    body: ApiKeyChange;
    response: ApiKey;
  };
  /** Revoke an API key; access ends immediately */
  'DELETE /api/v1/account/api-keys/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: null;
  };
  /** A user's API keys, newest first */
  'GET /api/v1/users/{id}/api-keys': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      readonly cursor?: string | undefined;
      /** Part of the name, ignoring case. */
      readonly search?: string | undefined;
    };
    response: ApiKeyList;
  };
  /** Create an API key of an application; at most five are active at a time */
  'POST /api/v1/users/{id}/api-keys': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    body: NewApiKey;
    response: CreatedApiKey;
  };
  /** Revoke all of a user's API keys */
  'DELETE /api/v1/users/{id}/api-keys': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: null;
  };
  /** Revoke one of a user's API keys */
  'DELETE /api/v1/users/{id}/api-keys/{keyId}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
      /** The id of the resource. */
      readonly keyId: string;
    };
    response: null;
  };
  /** All users, by name */
  'GET /api/v1/users': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      readonly cursor?: string | undefined;
      /** Part of the name, ignoring case. */
      readonly search?: string | undefined;
    };
    response: UserList;
  };
  /** Create a user; without roles and databases they see nothing */
  'POST /api/v1/users': {
    body: NewUser;
    response: User;
  };
  /** One user */
  'GET /api/v1/users/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: User;
  };
  /** Replace a user; an omitted password stays unchanged */
  'PUT /api/v1/users/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    body: UserReplacement;
    response: User;
  };
  /** Change some fields of a user */
  'PATCH /api/v1/users/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    body: UserChange;
    response: User;
  };
  /** Delete a user with their keys and sessions */
  'DELETE /api/v1/users/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    response: null;
  };
  /** The keys that verify the viewer tokens of an application */
  'GET /api/v1/users/{id}/signing-keys': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: SigningKeys;
  };
  /** Replace the signing keys of an application; tokens of earlier ones end immediately */
  'PUT /api/v1/users/{id}/signing-keys': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    body: NewSigningKeys;
    response: CreatedSigningKeys;
  };
  /** Remove the signing keys of an application; its viewer tokens end immediately */
  'DELETE /api/v1/users/{id}/signing-keys': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    response: null;
  };
  /** The viewers of an application: those seen lately, latest first, then other blocked ones by name */
  'GET /api/v1/users/{id}/viewers': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      readonly cursor?: string | undefined;
      /** Part of the name, ignoring case. */
      readonly search?: string | undefined;
    };
    response: ViewerList;
  };
  /** Block a viewer: their tokens are refused immediately */
  'POST /api/v1/users/{id}/viewers/{sub}/block': {
    params: {
      /** The id of the resource. */
      readonly id: string;
      /** The `sub` of the tokens, percent-encoded. */
      readonly sub: string;
    };
    response: Viewer;
  };
  /** Accept the tokens of a viewer again */
  'DELETE /api/v1/users/{id}/viewers/{sub}/block': {
    params: {
      /** The id of the resource. */
      readonly id: string;
      /** The `sub` of the tokens, percent-encoded. */
      readonly sub: string;
    };
    response: null;
  };
  /** What an AI application asks for, in the browser that it opened */
  'GET /api/v1/oauth/interactions/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: ApplicationRequest;
  };
  /** Allow an AI application to run queries in my name */
  'POST /api/v1/oauth/interactions/{id}/allow': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    body: ApplicationChoice;
    response: ApplicationRedirect;
  };
  /** Do not allow an AI application */
  'POST /api/v1/oauth/interactions/{id}/cancel': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: ApplicationRedirect;
  };
  /** The AI applications that I allowed, newest first */
  'GET /api/v1/account/applications': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      readonly cursor?: string | undefined;
      /** Part of the name, ignoring case. */
      readonly search?: string | undefined;
    };
    response: ConnectedApplicationList;
  };
  /** End the access of an AI application immediately */
  'DELETE /api/v1/account/applications/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: null;
  };
  /** The AI applications that a user allowed, newest first */
  'GET /api/v1/users/{id}/applications': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      readonly cursor?: string | undefined;
      /** Part of the name, ignoring case. */
      readonly search?: string | undefined;
    };
    response: ConnectedApplicationList;
  };
  /** End the access of an AI application of a user immediately */
  'DELETE /api/v1/users/{id}/applications/{applicationId}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
      /** The id of the resource. */
      readonly applicationId: string;
    };
    response: null;
  };
  /** The registered AI applications, newest first */
  'GET /api/v1/oauth/clients': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      readonly cursor?: string | undefined;
      /** Part of the name, ignoring case. */
      readonly search?: string | undefined;
    };
    response: RegisteredApplicationList;
  };
  /** Register an AI application */
  'POST /api/v1/oauth/clients': {
    body: NewApplication;
    response: CreatedApplication;
  };
  /** Remove a registered AI application; its access ends immediately */
  'DELETE /api/v1/oauth/clients/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: null;
  };
  /** All roles by name, for users who manage users or write queries */
  'GET /api/v1/roles': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      readonly cursor?: string | undefined;
      /** Part of the name, ignoring case. */
      readonly search?: string | undefined;
    };
    response: RoleList;
  };
  /** Create a role */
  'POST /api/v1/roles': {
    body: NewRole;
    response: Role;
  };
  /** One role, for users who manage users or write queries */
  'GET /api/v1/roles/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: Role;
  };
  /** Replace a role; applies to its holders immediately */
  'PUT /api/v1/roles/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    body: NewRole;
    response: Role;
  };
  /** Change fields of a role; applies to its holders immediately */
  'PATCH /api/v1/roles/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    body: RoleChange;
    response: Role;
  };
  /** Delete a role that nobody holds and no query names */
  'DELETE /api/v1/roles/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    response: null;
  };
  /** The databases that I manage or have in scope, by name */
  'GET /api/v1/databases': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      readonly cursor?: string | undefined;
      /** Part of the name, ignoring case. */
      readonly search?: string | undefined;
    };
    response: DatabaseList;
  };
  /** Add a database; does not connect to it */
  'POST /api/v1/databases': {
    body: NewDatabase;
    response: Database;
  };
  /** A database */
  'GET /api/v1/databases/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: Database;
  };
  /** Replace a database */
  'PUT /api/v1/databases/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    body: DatabaseReplacement;
    response: Database;
  };
  /** Change fields of a database */
  'PATCH /api/v1/databases/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    body: DatabaseChange;
    response: Database;
  };
  /** Remove a database that no Active query uses */
  'DELETE /api/v1/databases/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    response: null;
  };
  /** Its tables and columns, for authors of queries */
  'GET /api/v1/databases/{id}/schema': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    query: {
      /** Part of the name of a table or column, ignoring case. */
      readonly search?: string | undefined;
    };
    response: DatabaseSchema;
  };
  /** Test an unsaved connection */
  'POST /api/v1/databases/test': {
    body: UnsavedDatabase;
    response: ConnectionTest;
  };
  /** Test a saved connection */
  'POST /api/v1/databases/{id}/test': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: ConnectionTest;
  };
  /** The queries that I may see, by name */
  'GET /api/v1/queries': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      readonly cursor?: string | undefined;
      /** Words of the name, technical name, description, tip, tags, parameters or columns; the best matches come first. */
      readonly search?: string | undefined;
      readonly status?: QueryStatus | undefined;
      /** Name of the database. */
      readonly database?: string | undefined;
      readonly tag?: string | undefined;
      /** Only my favorites. */
      readonly favorite?: 'true' | 'false' | undefined;
      /** Only queries that AI assistants may run. */
      readonly aiAccess?: 'true' | 'false' | undefined;
      /** Only queries that I ran in the web interface; the last one first. */
      readonly recent?: 'true' | 'false' | undefined;
      /** `-` in front: descending. `owner` is the creator. Queries without the value come last. */
      readonly sort?: 'name' | '-name' | 'database' | '-database' | 'owner' | '-owner' | 'status' | '-status' | 'lastRun' | '-lastRun' | 'lastUsed' | '-lastUsed' | undefined;
    };
    response: QueryList;
  };
  /** Create a query as a Draft */
  'POST /api/v1/queries': {
    body: NewQuery;
    response: Query;
  };
  /** A query */
  'GET /api/v1/queries/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    query: {
      /** `draft`, or a version number; default: the current version. */
      readonly version?: 'draft' | string | undefined;
    };
    response: Query;
  };
  /** Replace a query; changes of an Active query become a draft */
  'PUT /api/v1/queries/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    body: NewQuery;
    response: Query;
  };
  /** Change fields of a query; null clears an optional one */
  'PATCH /api/v1/queries/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    body: QueryChange;
    response: Query;
  };
  /** Make a query one of my favorites */
  'PUT /api/v1/queries/{id}/favorite': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: null;
  };
  /** Remove a query from my favorites; also if I no longer see it */
  'DELETE /api/v1/queries/{id}/favorite': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: null;
  };
  /** Run unsaved SQL read-only and return its first 100 rows */
  'POST /api/v1/queries/preview': {
    body: PreviewRequest;
    response: Preview;
  };
  /** Prepare the SQL on its database, find its columns, compare placeholders and parameters */
  'POST /api/v1/queries/{id}/validate': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    response: ValidatedQuery;
  };
  /** Discard the draft of a query; the current version stays */
  'DELETE /api/v1/queries/{id}/draft': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    response: null;
  };
  /** Let callers run the version that was validated */
  'POST /api/v1/queries/{id}/activate': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    body: QueryActivation;
    response: Query;
  };
  /** Stop callers from running it */
  'POST /api/v1/queries/{id}/deactivate': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    response: Query;
  };
  /** Void a query that is not Active */
  'POST /api/v1/queries/{id}/void': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    response: Query;
  };
  /** Restore a Void query as a Draft */
  'POST /api/v1/queries/{id}/restore': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    response: Query;
  };
  /** Its versions, newest first */
  'GET /api/v1/queries/{id}/versions': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      readonly cursor?: string | undefined;
      /** Part of the name, ignoring case. */
      readonly search?: string | undefined;
      /** Only versions that callers can name, one for each number. */
      readonly activated?: 'true' | 'false' | undefined;
    };
    response: QueryVersionList;
  };
  /** Restore an earlier version as an edit */
  'POST /api/v1/queries/{id}/versions/{version}/restore': {
    params: {
      /** The id of the resource. */
      readonly id: string;
      /** The number of the version. */
      readonly version: string;
    };
    headers: {
      /** The `version` that the change is based on: refused with 412 if it is no longer the current one. */
      readonly 'If-Match'?: string | undefined;
    };
    body: VersionRestore;
    response: Query;
  };
  /** End the calls that name an earlier version, now or at a time */
  'POST /api/v1/queries/{id}/versions/{version}/retire': {
    params: {
      /** The id of the resource. */
      readonly id: string;
      /** The number of the version. */
      readonly version: string;
    };
    body: VersionRetirement;
    response: QueryVersion;
  };
  /** What callers notice if one version takes the place of another, and who they are */
  'GET /api/v1/queries/{id}/changes': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    query: {
      /** A version number or `active`: the version that callers get, or last got. */
      readonly from?: string | undefined;
      /** A version number or `draft`: the version that is activated next. */
      readonly to?: string | undefined;
      /** How many days back calls are counted. */
      readonly days?: number | undefined;
    };
    response: QueryChanges;
  };
  /** Who received its rows, and which versions are called */
  'GET /api/v1/queries/{id}/callers': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    query: {
      /** How many days back calls are counted. */
      readonly days?: number | undefined;
    };
    response: QueryCallers;
  };
  /** Compare queries with the catalog and validate them, without changing anything */
  'POST /api/v1/catalog/plan': {
    body: CatalogPlanRequest;
    response: CatalogPlan;
  };
  /** Make the catalog like the queries that are sent, in one transaction */
  'POST /api/v1/catalog/apply': {
    body: CatalogApplyRequest;
    response: CatalogPlan;
  };
  /** The audit trail, newest first */
  'GET /api/v1/audit': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      readonly cursor?: string | undefined;
      /** Not before this time; a date means its beginning (UTC). */
      readonly from?: string | undefined;
      /** Not after this time; a date means its end (UTC). */
      readonly to?: string | undefined;
      /** Name of the user. */
      readonly user?: string | undefined;
      /** For example `query.execute`, `user.create`, or the name of an MCP tool. */
      readonly action?: string | undefined;
      /** Technical name of the query. */
      readonly query?: string | undefined;
      readonly channel?: '' | 'rest' | 'chart' | 'export' | 'embed' | 'data' | 'link' | 'mcp' | 'ui' | 'management' | undefined;
      readonly outcome?: '' | 'ok' | 'refused' | 'failed' | 'cancelled' | undefined;
      readonly requestId?: string | undefined;
      /** Part of the user name, full name, viewer, AI application, key, action, query, error code, address, client or request id. Without `from`, a list covers the last 7 days, and a file all entries. */
      readonly search?: string | undefined;
      /** `csv`, `ndjson`: all matching entries as a file. */
      readonly format?: 'json' | 'csv' | 'ndjson' | undefined;
    };
    response: AuditPage;
  };
  /** Running queries: mine, for an Administrator everyone’s */
  'GET /api/v1/executions': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the previous page. */
      readonly cursor?: string | undefined;
      /** Part of the name, ignoring case. */
      readonly search?: string | undefined;
    };
    response: ExecutionList;
  };
  /** Cancel a running query */
  'DELETE /api/v1/executions/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: null;
  };
}

export type Account = {
  readonly id: string;
  readonly kind: UserKind;
  readonly username: string;
  readonly fullName: string;
  readonly email: string;
  /** Names of the roles held. */
  readonly roles: readonly string[];
  /** The permissions of all roles combined. */
  readonly permissions: readonly Permission[];
  /** Names of the databases in scope; `*` alone means all. */
  readonly databases: readonly string[];
  /** Facts about the user that queries may be bound to. */
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
  /** When the account expires; null: never. */
  readonly expiresAt: string | null;
  /** Signs in through OpenID Connect and has no password here. */
  readonly external: boolean;
  /** Whether you see and may cancel the running queries of all users. */
  readonly canManageExecutions: boolean;
};

export type AffectedByChange = {
  /** Who received rows, the most calls first; 1,000 at most. */
  readonly callers: readonly QueryCaller[];
  /** Number of callers that are not listed. */
  readonly moreCallers: number;
  /** From when on calls are counted: later than asked for if there are too many entries to read. */
  readonly callersSince: string;
  /** What stands on the query, however long ago it was used; 1,000 at most. */
  readonly dependants: readonly QueryDependant[];
  /** Number of dependants that are not listed, because they are too many or because you may not see them. */
  readonly moreDependants: number;
};

export type Aggregate = 'sum' | 'average' | 'count' | 'min' | 'max' | 'none';

export type ApiKey = {
  readonly id: string;
  readonly name: string;
  /** The beginning of the key, to recognize it. */
  readonly prefix: string;
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly createdAt: string;
  /** Null: not used yet. */
  readonly lastUsedAt: string | null;
  /** Null: never. */
  readonly expiresAt: string | null;
  readonly state: KeyState;
  /** Restricts the key to these queries; null: all that its user may run. */
  readonly queries: readonly string[] | null;
  /** What the MCP gateway offers to the key: `generic`, the general tools, or `typed`, a tool for each of its queries. */
  readonly tools: KeyTools;
  readonly limits: KeyLimits;
  /** Rows read since midnight UTC; a few seconds old. */
  readonly rowsToday: number;
};

export type ApiKeyChange = {
  /** What it is for; 1 to 100 characters. */
  readonly name?: string | undefined;
};

export type ApiKeyList = {
  readonly items: readonly ApiKey[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
};

export type ApplicationChoice = {
  /** Technical names; null or left out: all that the user may run. */
  readonly queries?: readonly string[] | null | undefined;
  /** How long the access lasts, 1 to 365; default: 30. */
  readonly days?: number | undefined;
};

export type ApplicationRedirect = {
  /** The address to open in the same browser. */
  readonly redirectTo: string;
};

export type ApplicationRequest = {
  readonly id: string;
  readonly application: {
    readonly name: string;
    readonly clientId: string;
    readonly source: ApplicationSource;
    /** The host that publishes its metadata document, which is verified; null: none. */
    readonly documentHost: string | null;
  };
  /** Where the browser will be sent. */
  readonly redirect: {
    /** A page, this computer, or an application of this computer. */
    readonly kind: 'web' | 'loopback' | 'app';
    /** Such as `claude.ai`, `127.0.0.1:4711` or `cursor:`. */
    readonly host: string;
  };
  readonly scope: string;
  /** The user who is signed in and asked. */
  readonly user: string;
  readonly defaultDays: number;
  readonly maxDays: number;
};

export type ApplicationSource = 'registered' | 'document' | 'dynamic';

export type AuditEntry = {
  /** When the call began. */
  readonly at: string;
  readonly requestId: string;
  /** Name of the user; for a failed sign-in, the name that was tried. */
  readonly user: string | null;
  /** Of the user. */
  readonly kind: UserKind | null;
  /** The viewer on whose behalf an application called. */
  readonly viewer: string | null;
  /** The AI application that the user signed in from. */
  readonly application: string | null;
  /** Name of the API key that was used. */
  readonly apiKey: string | null;
  /** For example `query.execute` or `user.create`. */
  readonly action: string;
  /** Technical name of the query. */
  readonly query: string | null;
  readonly queryVersion: number | null;
  /** Parameters of the query, or what was changed. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
  readonly channel: Channel;
  readonly outcome: Outcome;
  /** HTTP status of the response. */
  readonly status: number;
  /** The error code, as in `code` of the response; null on success. */
  readonly error: string | null;
  readonly rows: number | null;
  readonly bytes: number | null;
  readonly durationMs: number;
  readonly address: string;
  readonly client: string | null;
  /** True if the rows come from an identical earlier call and the query was not run. */
  readonly cached: boolean;
};

export type AuditPage = {
  readonly items: readonly AuditEntry[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
  /** Where a search without `from` begins: seven days ago. */
  readonly searchedFrom?: string;
};

export type BarOrientation = 'vertical' | 'horizontal';

export type BucketUnit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

export type CatalogApplyRequest = {
  /** All queries of the catalog, complete: what a query does not name is unset. */
  readonly queries: readonly CatalogQuery[];
  /** Deactivate Active queries that are not among them. */
  readonly prune?: boolean | undefined;
  /** Apply changes that break callers, too. */
  readonly allowBreaking?: boolean | undefined;
  /** Why the versions that it creates exist. */
  readonly note?: string | undefined;
};

export type CatalogPlan = {
  /** The queries that change. */
  readonly queries: readonly PlannedQuery[];
  /** Number of queries that stay as they are. */
  readonly unchanged: number;
  /** Technical names of the queries that `prune` deactivates. */
  readonly deactivated: readonly string[];
  /** Technical names of the Active queries that stay although they are not among the sent ones. */
  readonly withoutFile: readonly string[];
};

export type CatalogPlanRequest = {
  /** All queries of the catalog, complete: what a query does not name is unset. */
  readonly queries: readonly CatalogQuery[];
  /** Deactivate Active queries that are not among them. */
  readonly prune?: boolean | undefined;
};

export type CatalogQuery = {
  /** Technical name: that of its file. */
  readonly queryName: string;
  /** Display name, 1 to 200 characters. The technical name is derived from it. */
  readonly name: string;
  /** What the query returns. */
  readonly description?: string | null | undefined;
  /** How to use it. */
  readonly tip?: string | null | undefined;
  /** Name of the database. */
  readonly database: string;
  /** One statement; names parameters `@Name` on every engine. */
  readonly sql: string;
  /** SQL that writes, run after the statement in the same transaction. Needs `queries.epilogue`. */
  readonly epilogue?: string | null | undefined;
  readonly parameters?: readonly NewQueryParameter[] | null | undefined;
  /** Display settings of the columns. */
  readonly columns?: readonly NewQueryColumn[] | null | undefined;
  /** The chart that the query is drawn as at first; null: suggested by its columns. */
  readonly chart?: NewQueryChart | null | undefined;
  /** Names of the roles that may run it; empty: every role. */
  readonly roles: readonly string[];
  /** Time limit; null: the default of the settings. */
  readonly timeoutSeconds?: number | null | undefined;
  /** Row limit; null: the default of the settings. */
  readonly maxRows?: number | null | undefined;
  /** How long a result may be served again; null: not cached. */
  readonly cacheSeconds?: number | null | undefined;
  /** Whether the AI gateway offers it. */
  readonly aiAccess: boolean;
  /** `enforce`: an activation that breaks callers is refused unless it says `allowBreaking`. */
  readonly compatibility?: 'warn' | 'enforce' | undefined;
  /** Tags for searching. */
  readonly tags?: readonly string[] | null | undefined;
};

export type Channel = 'rest' | 'chart' | 'export' | 'embed' | 'data' | 'link' | 'mcp' | 'ui' | 'management';

export type ChartColumn = {
  readonly Name: string;
  readonly Type: ColumnClass;
};

export type ChartDrawing = {
  readonly rowsRead: number;
  /** Of labels that are times */
  readonly unit: BucketUnit | null;
  /** The label that stands for the smaller ones */
  readonly others: {
    readonly label: string;
    readonly labels: number;
  } | null;
  /** Values that are null */
  readonly missing: number;
  /** Values that are not numbers */
  readonly unreadable: number;
  /** Sentences to show with the chart */
  readonly notes: readonly string[];
};

export type ChartOptions = {
  readonly title?: string;
  readonly chartHeight?: number;
  readonly animationSpeed?: number;
  readonly showToolbar?: boolean;
  readonly showDataLabels?: boolean;
  readonly showGrid?: boolean;
  readonly showLegend?: boolean;
  readonly enableZoom?: boolean;
  readonly enableAnimations?: boolean;
  readonly barOrientation?: BarOrientation;
  readonly barWidth?: number;
  readonly legendPosition?: LegendPosition;
  readonly theme?: ChartTheme;
  readonly patterns?: boolean;
  readonly stacked?: Stacked;
};

export type ChartPage = {
  /** One object per row; keys are display column names */
  readonly Data: readonly Readonly<Record<string, unknown>>[];
  /** Page size used */
  readonly RowSize: number;
  /** Offset to send as RowIndex on the next call */
  readonly NextRowIndex: number;
  /** Continuation token; null when no rows remain */
  readonly QueryMoreCode: string | null;
  /** The columns in their order */
  readonly Columns: readonly ChartColumn[];
};

export type ChartSummary = {
  /** The columns in their order */
  readonly Columns: readonly ChartColumn[];
  /** One object per group and series; keys are display column names. A bucket of time is its first moment */
  readonly Data: readonly Readonly<Record<string, unknown>>[];
  /** Rows of the result that were read */
  readonly rowsRead: number;
  /** Groups before the limit */
  readonly groups: number;
  /** Whether all rows of the result were read; false only for a chart that draws rows without grouping them */
  readonly isWhole: boolean;
  /** With a chartType: what was done to the rows */
  readonly drawing?: ChartDrawing;
  /** Send it to group or page the same rows again without running the query */
  readonly QueryMoreCode: string;
};

export type ChartTheme = 'auto' | 'light' | 'dark';

export type ChartType = 'bar' | 'line' | 'area' | 'scatter' | 'pie' | 'donut' | 'polarArea' | 'radar' | 'radialBar' | 'heatmap' | 'treemap' | 'boxPlot';

export type Choices = {
  readonly items: readonly {
    /** To send */
    readonly value: string;
    /** To show */
    readonly label: string;
  }[];
  /** Whether there are more */
  readonly truncated: boolean;
};

export type ColumnClass = 'categorical' | 'numeric';

export type ColumnFormat = {
  readonly kind: FormatKind;
  readonly currency?: string;
  readonly decimals?: number;
  readonly unit?: string;
};

export type ComparedVersion = {
  readonly version: number;
  readonly activatedAs: number | null;
  readonly createdBy: string;
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly createdAt: string;
};

export type ConnectedApplication = {
  readonly id: string;
  readonly name: string;
  readonly clientId: string;
  readonly source: ApplicationSource;
  /** The host that publishes its metadata document, which is verified; null: none. */
  readonly documentHost: string | null;
  /** Restricts it to these queries; null: all that the user may run. */
  readonly queries: readonly string[] | null;
  /** True if the company’s provider allowed it, not the person. */
  readonly managed: boolean;
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly createdAt: string;
  /** Null: not used yet. */
  readonly lastUsedAt: string | null;
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly expiresAt: string;
};

export type ConnectedApplicationList = {
  readonly items: readonly ConnectedApplication[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
};

export type ConnectionTest = {
  readonly ok: boolean;
  /** Warnings, or why it could not be reached and what to check. */
  readonly message?: string;
  /** The error of the driver or the server. */
  readonly detail?: string;
};

export type CreatedApiKey = {
  readonly id: string;
  readonly name: string;
  /** The beginning of the key, to recognize it. */
  readonly prefix: string;
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly createdAt: string;
  /** Null: not used yet. */
  readonly lastUsedAt: string | null;
  /** Null: never. */
  readonly expiresAt: string | null;
  readonly state: KeyState;
  /** Restricts the key to these queries; null: all that its user may run. */
  readonly queries: readonly string[] | null;
  /** What the MCP gateway offers to the key: `generic`, the general tools, or `typed`, a tool for each of its queries. */
  readonly tools: KeyTools;
  readonly limits: KeyLimits;
  /** Rows read since midnight UTC; a few seconds old. */
  readonly rowsToday: number;
  /** The key itself. It is shown only once and not stored. */
  readonly key: string;
};

export type CreatedApplication = {
  readonly id: string;
  readonly clientId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly tokenEndpointAuthMethod: 'none' | 'client_secret_basic';
  /** Whether it may present identity assertions: for all queries, for these, or not. */
  readonly managed: boolean | readonly string[];
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  /** How many users allow it to call for them now. */
  readonly people: number;
  /** It is shown only once and stored as a hash. */
  readonly clientSecret?: string;
};

export type CreatedSigningKeys = {
  /** Null: the application has no keys and signs no tokens. */
  readonly kind: SigningKeysKind | null;
  /** The keys that are stored here. */
  readonly keys: readonly SigningKey[];
  readonly jwksUri: string | null;
  /** A new secret: 32 bytes in base64url. It is shown only once and stored sealed. */
  readonly secret?: string;
};

export type DataLink = {
  readonly id: string;
  readonly queryName: string;
  /** Values by name; of a list an array. */
  readonly parameters: Readonly<Record<string, string | null | readonly (string | null)[]>>;
  /** User name. Views run with the rights of this user at that time. */
  readonly issuer: string;
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly createdAt: string;
  /** When the current token was issued. */
  readonly issuedAt: string;
  /** Null: never. */
  readonly expiresAt: string | null;
  readonly state: 'valid' | 'expired';
  readonly views: number;
  readonly name: string;
  /** Null for links of other users in the list of an Administrator. */
  readonly url: string | null;
  readonly format: ExportFormat;
  /** The parameters that readers may send in the query string. */
  readonly open: readonly string[];
  /** Every reader sees the rows that the identity of the issuer selects. */
  readonly asIssuer: boolean;
  /** Null: never. */
  readonly expiresInDays: number | null;
  /** Null: never used. */
  readonly lastUsedAt: string | null;
};

export type DataLinkList = {
  readonly items: readonly DataLink[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
};

export type DataLinkRegeneration = {
  /** Left out: the same lifetime again. null: no expiry. */
  readonly expiresInDays?: number | null | undefined;
};

export type Database = {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly description: string;
  /** For If-Match; also the ETag. */
  readonly version: number;
  /** Without secrets. Only shown to users who manage databases. */
  readonly connection?: Readonly<Record<string, unknown>>;
  /** Only shown to users who manage databases. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Only shown to users who manage databases. */
  readonly disabled?: boolean;
  /** Only shown to users who manage databases. */
  readonly writable?: boolean;
  /** The demo database. Only shown to users who manage databases. */
  readonly builtIn?: boolean;
  /** Only shown to users who manage databases. */
  readonly createdAt?: string;
  /** The last test of the saved connection; null: none since it was changed. Only shown to users who manage databases. */
  readonly lastTest?: {
    /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
    readonly at: string;
    readonly ok: boolean;
    /** Why it failed. */
    readonly message?: string;
  } | null;
};

export type DatabaseChange = {
  /** 1 to 100 characters, unique ignoring case. Part of the technical names of its queries. */
  readonly name?: string | undefined;
  /** `duckdb`, `sqlite`, `postgres`, `mysql`, `sqlserver`, `clickhouse` or `trino`. Cannot be changed. */
  readonly kind?: string | undefined;
  /** The fields to change; null removes a field. If any other than a secret changes, send the secret, too. */
  readonly connection?: Readonly<Record<string, unknown>> | undefined;
  /** Replaces the settings; null: none. */
  readonly settings?: Readonly<Record<string, unknown>> | null | undefined;
  readonly description?: string | null | undefined;
  readonly disabled?: boolean | null | undefined;
  readonly writable?: boolean | null | undefined;
};

export type DatabaseList = {
  readonly items: readonly Database[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
};

export type DatabaseReplacement = {
  /** 1 to 100 characters, unique ignoring case. Part of the technical names of its queries. */
  readonly name: string;
  /** `duckdb`, `sqlite`, `postgres`, `mysql`, `sqlserver`, `clickhouse` or `trino`. Cannot be changed. */
  readonly kind?: string | undefined;
  /** Replaces the connection. An omitted secret is kept, unless another field of the connection changed: then send it again. */
  readonly connection: Readonly<Record<string, unknown>>;
  /** Settings of the engine. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Helps to choose a database. */
  readonly description?: string | undefined;
  /** Its queries are rejected. */
  readonly disabled?: boolean | undefined;
  /** An Epilogue may write to it. */
  readonly writable?: boolean | undefined;
};

export type DatabaseSchema = {
  readonly tables: readonly {
    readonly schema: string;
    readonly name: string;
    readonly type: 'table' | 'view';
    readonly comment?: string;
    readonly columns: readonly {
      readonly name: string;
      /** As spelled by the database. */
      readonly type: string;
      readonly nullable: boolean;
      readonly comment?: string;
    }[];
  }[];
  /** True if there are more tables than listed. */
  readonly truncated: boolean;
};

export type DeclaredParameters = {
  readonly QueryName: string;
  readonly Parameters: readonly {
    readonly ParameterName: string;
    readonly DataType: string;
    readonly Required: boolean;
    readonly Default: string | null;
    readonly Description: string | null;
    /** The values that it takes, in any case; null: any value */
    readonly Values: readonly string[] | null;
    /** True: the values are suggestions, and others are taken, too */
    readonly ValuesOpen?: boolean;
    /** Whether it takes a list of values */
    readonly Multiple: boolean;
    /** Left out: it has none. Get them from /api/v1/queries/{queryName}/choices */
    readonly Choices?: {
      /** Parameters whose values the choices depend on */
      readonly DependsOn: readonly string[];
      /** Whether other values are refused */
      readonly Only: boolean;
    };
  }[];
};

export type Embed = {
  readonly id: string;
  readonly queryName: string;
  /** Values by name; of a list an array. */
  readonly parameters: Readonly<Record<string, string | null | readonly (string | null)[]>>;
  /** User name. Views run with the rights of this user at that time. */
  readonly issuer: string;
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly createdAt: string;
  /** When the current token was issued. */
  readonly issuedAt: string;
  /** Null: never. */
  readonly expiresAt: string | null;
  readonly state: 'valid' | 'expired';
  readonly views: number;
  readonly title: string;
  /** The options of the chart, as sent to GetEmbedUrl. */
  readonly chart: Readonly<Record<string, unknown>>;
  /** Whose rows a view shows: those of the issuer, or of a viewer with a signed token. */
  readonly viewer: 'issuer' | 'signed';
  /** The parameters that viewers may choose. */
  readonly open: readonly string[];
  /** Null: never. */
  readonly expirationDays: number | null;
  /** Null: never viewed. */
  readonly lastViewedAt: string | null;
  /** Null for embeds of other users in the list of an Administrator. */
  readonly embedUrl: string | null;
  readonly iframeCode: string | null;
  /** The chart as an SVG picture; with `&format=png` as PNG. */
  readonly imageUrl: string | null;
};

export type EmbedChange = {
  /** From now on; unchanged if omitted. "never" or null: no expiry. */
  readonly expirationDays?: number | 'never' | null | undefined;
  /** As in GetEmbedUrl; omitted ones stay unchanged. */
  readonly options?: EmbedOptions | undefined;
};

export type EmbedLink = {
  readonly Id: string;
  readonly Token: string;
  /** Needs no credential: anyone who has it sees the chart */
  readonly EmbedUrl: string;
  readonly IframeCode: string;
  /** ISO 8601, in UTC; null: never */
  readonly ExpiresAt: string | null;
};

export type EmbedList = {
  readonly items: readonly Embed[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
};

export type EmbedOptions = {
  readonly chartType?: ChartType | undefined;
  readonly labelColumn?: string | undefined;
  readonly dataColumn?: string | readonly string[] | undefined;
  readonly seriesColumn?: string | null | undefined;
  readonly aggregate?: Aggregate | undefined;
  readonly sortBy?: SortBy | undefined;
  readonly timeUnit?: TimeUnit | undefined;
  readonly title?: string | undefined;
  readonly chartHeight?: number | undefined;
  readonly animationSpeed?: number | undefined;
  readonly showToolbar?: boolean | undefined;
  readonly showDataLabels?: boolean | undefined;
  readonly showGrid?: boolean | undefined;
  readonly showLegend?: boolean | undefined;
  readonly enableZoom?: boolean | undefined;
  readonly enableAnimations?: boolean | undefined;
  readonly barOrientation?: BarOrientation | undefined;
  readonly barWidth?: number | undefined;
  readonly legendPosition?: LegendPosition | undefined;
  readonly theme?: ChartTheme | undefined;
  readonly patterns?: boolean | undefined;
  readonly stacked?: Stacked | undefined;
  readonly frameAncestors?: string | undefined;
  readonly viewer?: 'issuer' | 'signed' | undefined;
  readonly open?: readonly string[] | undefined;
};

export type EmbedPicture = {
  readonly svg: string | null;
};

export type EmbedRegeneration = {
  /** Left out: the same lifetime again. "never" or null: no expiry. */
  readonly expirationDays?: number | 'never' | null | undefined;
};

export type Execution = {
  readonly id: string;
  /** Technical name of the query; for unsaved SQL, `(preview on <database>)`. */
  readonly query: string;
  readonly user: string;
  /** Of the user. */
  readonly kind: UserKind;
  /** The viewer on whose behalf an application called. */
  readonly viewer: string | null;
  /** The AI application that the user signed in from. */
  readonly application: string | null;
  readonly channel: Channel;
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly startedAt: string;
  /** Rows received from the database so far. */
  readonly rows: number;
  readonly state: 'waiting' | 'running' | 'draining' | 'cancelling';
};

export type ExecutionList = {
  readonly items: readonly Execution[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
};

export type ExportFormat = 'csv' | 'json' | 'ndjson' | 'xlsx' | 'parquet';

export type ExportLink = {
  readonly format: ExportFormat;
  readonly fileName: string;
  readonly mimeType: string;
  /** Bytes */
  readonly size: number;
  readonly rowCount: number;
  /** Needs no credential: anyone who has it can download the file */
  readonly downloadUrl: string;
  /** ISO 8601, in UTC */
  readonly expiresAt: string;
};

export type ExportedQuery = {
  /** Technical name of an Active query */
  readonly QueryName: string;
  /** Values of the declared parameters; optional ones may be left out */
  readonly Parameters: readonly ParameterValue[] | Readonly<Record<string, string | number | boolean | null | readonly (string | number | boolean | null)[]>>;
};

export type Figure = {
  readonly id: string;
  readonly queryName: string;
  readonly name: string;
  /** When the query ran. */
  readonly at: string;
  readonly labelColumn: string;
  readonly dataColumn: string;
  readonly aggregate: Aggregate;
  /** Of the values. */
  readonly format?: ColumnFormat;
  /** Of labels that are times; null: they are not. */
  readonly unit: BucketUnit | null;
  /** Times in order; otherwise the labels with the largest values. */
  readonly points: readonly FigurePoint[];
  /** Labels in all. */
  readonly labels: number;
  /** The last period that has ended; null if the labels are no times. */
  readonly last: FigurePoint | null;
  /** Of its value since the period before: 0.1 is 10 %. */
  readonly change: number | null;
};

export type FigurePoint = {
  readonly label: string;
  readonly value: number | null;
};

export type Figures = {
  readonly figures: readonly Figure[];
};

export type FormatKind = 'number' | 'currency' | 'percent' | 'bytes' | 'duration' | 'id' | 'text';

export type Home = {
  /** How many queries you see, by status. */
  readonly queries?: {
    readonly Draft: number;
    readonly Validated: number;
    readonly Active: number;
    readonly Inactive: number;
    readonly Void: number;
    /** Active queries that also have a draft. */
    readonly activeDrafts: number;
  };
  readonly favorites?: readonly {
    readonly id: string;
    /** Technical name. */
    readonly queryName: string;
    /** Display name. */
    readonly name: string;
    readonly status: QueryStatus;
    readonly canRun: boolean;
    /** Whether its author chose a chart for it. */
    readonly hasChart: boolean;
  }[];
  /** Queries that you ran in the web interface; the last one first. */
  readonly recent?: readonly {
    readonly id: string;
    /** Technical name. */
    readonly queryName: string;
    /** Display name. */
    readonly name: string;
    readonly status: QueryStatus;
    readonly canRun: boolean;
    /** Whether its author chose a chart for it. */
    readonly hasChart: boolean;
    /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
    readonly lastUsedAt: string;
    /** Your last run; null if it is not among your latest calls. */
    readonly lastRun: {
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly at: string;
      readonly outcome: Outcome;
      /** Error code. */
      readonly error: string | null;
      readonly rows: number | null;
      readonly durationMs: number;
    } | null;
  }[];
  /** Queries that you may run and that others published or changed in the last 30 days. */
  readonly news?: readonly {
    readonly id: string;
    /** Technical name. */
    readonly queryName: string;
    /** Display name. */
    readonly name: string;
    readonly status: QueryStatus;
    readonly canRun: boolean;
    /** Whether its author chose a chart for it. */
    readonly hasChart: boolean;
    /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
    readonly at: string;
    readonly by: string;
    /** Otherwise it was changed. */
    readonly isNew: boolean;
  }[];
  /** Your queries that are not published, or have a draft. */
  readonly drafts?: readonly {
    readonly id: string;
    /** Technical name. */
    readonly queryName: string;
    /** Display name. */
    readonly name: string;
    readonly status: QueryStatus;
    readonly canRun: boolean;
    /** Whether its author chose a chart for it. */
    readonly hasChart: boolean;
    /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
    readonly at: string;
    readonly draftStatus: 'Draft' | 'Validated';
  }[];
  /** Your queries whose calls failed in the last 7 days. */
  readonly failures?: readonly {
    readonly id: string;
    /** Technical name. */
    readonly queryName: string;
    /** Display name. */
    readonly name: string;
    readonly status: QueryStatus;
    readonly canRun: boolean;
    /** Whether its author chose a chart for it. */
    readonly hasChart: boolean;
    /** Of the latest failure. */
    readonly at: string;
    /** Its error code. */
    readonly error: string;
    /** Failed calls among `calls`. */
    readonly count: number;
    /** The latest calls of the last 7 days, at most 100. */
    readonly calls: number;
  }[];
  /** API keys that expire within 14 days: yours, or with `users.manage` those of all users. */
  readonly endingKeys: readonly {
    readonly user: string;
    readonly name: string;
    readonly prefix: string;
    /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
    readonly expiresAt: string;
    readonly lastUsedAt: string | null;
    readonly isOwn: boolean;
  }[];
  /** Calls of queries in the last 24 hours, with `audit.view`. */
  readonly lastDay?: {
    /** Only the latest 1,000 calls were counted, from this time on; null: all. */
    readonly since: string | null;
    readonly calls: number;
    readonly failed: number;
    readonly refused: number;
    /** 24, the current one last. */
    readonly hours: readonly {
      readonly calls: number;
      readonly errors: number;
    }[];
    /** The queries with the slowest calls. */
    readonly slowest: readonly {
      readonly queryName: string;
      /** Null: you may not see this query. */
      readonly id: string | null;
      readonly name: string | null;
      readonly calls: number;
      readonly medianMs: number;
      readonly slowestMs: number;
    }[];
  };
  /** Executions of all users, for Administrators. */
  readonly load?: {
    readonly running: number;
    readonly waiting: number;
  };
  /** Databases whose last connection test failed, with `databases.manage`. */
  readonly failingDatabases?: readonly {
    readonly name: string;
    /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
    readonly at: string;
    readonly message: string;
  }[];
};

export type KeyLimits = {
  readonly callsPerSecond: number | null;
  /** A day begins at midnight UTC. */
  readonly rowsPerDay: number | null;
  /** Queries that run at the same time. */
  readonly concurrent: number | null;
};

export type KeyState = 'active' | 'expired' | 'revoked';

export type KeyTools = 'generic' | 'typed';

export type LegendPosition = 'top' | 'bottom' | 'left' | 'right';

export type McpTools = {
  /** Whether the gateway is enabled. */
  readonly enabled: boolean;
  /** The URL for clients. */
  readonly url: string;
  readonly tools: readonly {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly inputSchema: Readonly<Record<string, unknown>>;
    readonly outputSchema: Readonly<Record<string, unknown>>;
    readonly annotations: Readonly<Record<string, string | boolean>>;
    /** The MCP App that shows its results, and how long they are. */
    readonly _meta?: Readonly<Record<string, unknown>>;
  }[];
  /** How large the last response to an assistant was that asked for no number of rows, the largest 200 first. */
  readonly answers: readonly {
    readonly queryName: string;
    readonly name: string;
    /** Of the rows, as JSON. */
    readonly bytes: number;
    /** About how many a model reads. */
    readonly tokens: number;
  }[];
};

export type NamedValue = {
  readonly parameterName: string;
  readonly value?: string | number | boolean | null | readonly (string | number | boolean | null)[] | undefined;
  readonly dataType?: string | null | undefined;
};

export type NewApiKey = {
  /** What it is for; 1 to 100 characters. */
  readonly name: string;
  /** 1 to 3650, or null for never; default: 90. A key never outlives the account's own expiry. */
  readonly expiresInDays?: number | null | undefined;
  /** Technical names: restricts the key to these queries. */
  readonly queries?: readonly string[] | null | undefined;
  /** `typed`: the MCP gateway offers a tool for each of its 1 to 40 queries; default: `generic`. */
  readonly tools?: KeyTools | undefined;
  /** Limits of this key. They can be lower than the general limits, not higher. */
  readonly limits?: {
    /** Calls a second; 1 to 1000000. */
    readonly callsPerSecond?: number | null | undefined;
    /** Rows a day, which begins at midnight UTC; 1 to 1000000000000. */
    readonly rowsPerDay?: number | null | undefined;
    /** Queries that run at the same time; 1 to 1000. */
    readonly concurrent?: number | null | undefined;
  } | null | undefined;
};

export type NewApplication = {
  /** Shown to people who are asked; 1 to 100 characters. */
  readonly name: string;
  /** Where it receives codes; compared exactly, except ports of loopback. */
  readonly redirectUris: readonly string[];
  /** Default: `none`; with `managed`: `client_secret_basic`. */
  readonly tokenEndpointAuthMethod?: 'none' | 'client_secret_basic' | undefined;
  /** It may exchange identity assertions of the company sign-in for access: to all queries, or to these. */
  readonly managed?: boolean | readonly string[] | undefined;
};

export type NewChartOptions = {
  readonly title?: string | undefined;
  readonly chartHeight?: number | undefined;
  readonly animationSpeed?: number | undefined;
  readonly showToolbar?: boolean | undefined;
  readonly showDataLabels?: boolean | undefined;
  readonly showGrid?: boolean | undefined;
  readonly showLegend?: boolean | undefined;
  readonly enableZoom?: boolean | undefined;
  readonly enableAnimations?: boolean | undefined;
  readonly barOrientation?: BarOrientation | undefined;
  readonly barWidth?: number | undefined;
  readonly legendPosition?: LegendPosition | undefined;
  readonly theme?: ChartTheme | undefined;
  readonly patterns?: boolean | undefined;
  readonly stacked?: Stacked | undefined;
};

export type NewColumnFormat = {
  readonly kind: FormatKind;
  /** ISO 4217 code; only with `currency`. */
  readonly currency?: string | null | undefined;
  /** Number of decimals, 0 to 6; left out: as the kind or the values need. */
  readonly decimals?: number | null | undefined;
  /** Shown after the number, such as `kg`; only with `number`. */
  readonly unit?: string | null | undefined;
};

export type NewDataLink = {
  /** 1 to 200 characters; the file in the address has this name. */
  readonly name: string;
  /** Technical name. */
  readonly queryName: string;
  /** `[{parameterName, value, dataType?}]` or `{"@Name": value}`; the value of a list is an array. */
  readonly parameters?: readonly NamedValue[] | Readonly<Record<string, string | number | boolean | null | readonly (string | number | boolean | null)[]>> | null | undefined;
  /** Parameters that readers may send in the query string. */
  readonly open?: readonly string[] | undefined;
  readonly format: ExportFormat;
  /** 1 to 3650; null: never; default 90. */
  readonly expiresInDays?: number | null | undefined;
  /** Required for a query whose parameters are bound to the caller: every reader may see your rows. */
  readonly asIssuer?: boolean | undefined;
};

export type NewDatabase = {
  /** 1 to 100 characters, unique ignoring case. Part of the technical names of its queries. */
  readonly name: string;
  /** `duckdb`, `sqlite`, `postgres`, `mysql`, `sqlserver`, `clickhouse` or `trino`. Cannot be changed. */
  readonly kind: string;
  /** `{host, port, user, password, database, tls?}`, or `{file}` for DuckDB and SQLite. Secrets are never returned. */
  readonly connection: Readonly<Record<string, unknown>>;
  /** Settings of the engine. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Helps to choose a database. */
  readonly description?: string | undefined;
  /** Its queries are rejected. */
  readonly disabled?: boolean | undefined;
  /** An Epilogue may write to it. */
  readonly writable?: boolean | undefined;
};

export type NewParameterChoices = {
  /** Technical name. */
  readonly query: string;
  /** Display column of the values. */
  readonly value: string;
  /** Display column of the texts to show; default: the values. */
  readonly label?: string | null | undefined;
  /** Parameters of that query, each with the parameter of this one that it gets its value from. */
  readonly parameters?: Readonly<Record<string, string>> | null | undefined;
};

export type NewQuery = {
  /** Display name, 1 to 200 characters. The technical name is derived from it. */
  readonly name: string;
  /** Name of the database. */
  readonly database: string;
  /** One statement; names parameters `@Name` on every engine. */
  readonly sql: string;
  /** What the query returns. */
  readonly description?: string | null | undefined;
  /** How to use it. */
  readonly tip?: string | null | undefined;
  /** SQL that writes, run after the statement in the same transaction. Needs `queries.epilogue`. */
  readonly epilogue?: string | null | undefined;
  readonly parameters?: readonly NewQueryParameter[] | null | undefined;
  /** Display settings of the columns. */
  readonly columns?: readonly NewQueryColumn[] | null | undefined;
  /** The chart that the query is drawn as at first; null: suggested by its columns. */
  readonly chart?: NewQueryChart | null | undefined;
  /** Names of the roles that may run it; empty: every role. Left out of a change: unchanged. */
  readonly roles?: readonly string[] | null | undefined;
  /** Time limit; null: the default of the settings. */
  readonly timeoutSeconds?: number | null | undefined;
  /** Row limit; null: the default of the settings. */
  readonly maxRows?: number | null | undefined;
  /** How long a result may be served again; null: not cached. */
  readonly cacheSeconds?: number | null | undefined;
  /** Whether the AI gateway offers it. Left out: unchanged; for a new query true, unless it has an Epilogue. */
  readonly aiAccess?: boolean | undefined;
  /** `enforce`: an activation that breaks callers is refused unless it says `allowBreaking`. Left out: unchanged; for a new query `warn`. */
  readonly compatibility?: 'warn' | 'enforce' | undefined;
  /** Tags for searching. */
  readonly tags?: readonly string[] | null | undefined;
  /** Why this version exists. Left out: that of the draft; empty for a version that the request starts. */
  readonly note?: string | null | undefined;
};

export type NewQueryChart = {
  readonly type: ChartType;
  /** Display name of the column for the labels. */
  readonly label: string;
  /** Display names of the columns with the values, one series each. */
  readonly data: readonly string[];
  /** Display name of a column: one series for each of its values. */
  readonly series?: string | null | undefined;
  /** How rows with the same label are combined; default: sum. */
  readonly aggregate?: Aggregate | null | undefined;
  /** Order of the labels; default: as in the rows. */
  readonly sortBy?: SortBy | null | undefined;
  /** Unit of time that labels are grouped by; default: auto. */
  readonly timeUnit?: TimeUnit | null | undefined;
  /** As in GetEmbedUrl. */
  readonly options?: NewChartOptions | null | undefined;
};

export type NewQueryColumn = {
  /** As named by the database. */
  readonly name: string;
  /** Display name. */
  readonly displayName?: string | null | undefined;
  /** For charts; left out: derived from its format and its type in the database. */
  readonly type?: ColumnClass | null | undefined;
  /** How its values are shown; JSON, CSV and Parquet contain them unchanged. */
  readonly format?: NewColumnFormat | null | undefined;
};

export type NewQueryParameter = {
  /** `@Region`, as in the SQL. */
  readonly name: string;
  /** What forms show instead of the name. */
  readonly label?: string | null | undefined;
  /** As spelled by SQL Server, PostgreSQL, MySQL or DuckDB: `nvarchar(50)`, `decimal(12,2)`. */
  readonly dataType: string;
  readonly required?: boolean | undefined;
  /** Value of the parameter if it is omitted; for a list also a JSON array. */
  readonly default?: string | readonly string[] | null | undefined;
  readonly description?: string | null | undefined;
  /** The values that it takes. One that differs only in case is taken as it is spelled here, any other is refused. */
  readonly values?: readonly string[] | null | undefined;
  /** The values are suggestions; others are taken, too. */
  readonly valuesOpen?: boolean | null | undefined;
  /** The choices come from another Active query. */
  readonly choices?: NewParameterChoices | null | undefined;
  /** Other values than the choices are refused. */
  readonly choicesOnly?: boolean | null | undefined;
  /** The value comes from the caller and cannot be sent: `user.name`, `user.id`, `user.email`, `user.fullName`, `user.roles` or `user.attributes.<name>`. */
  readonly boundTo?: string | null | undefined;
  /** A list of values; the SQL writes `in (@Regions)`. */
  readonly multiple?: boolean | null | undefined;
  /** The audit trail shows *** for its values. */
  readonly masked?: boolean | null | undefined;
};

export type NewRole = {
  /** 1 to 100 characters, unique ignoring case. */
  readonly name: string;
  /** Its permissions. Nobody can grant a permission that they lack. */
  readonly permissions: readonly Permission[];
};

export type NewSigningKeys = {
  /** Public keys as a JWKS: Ed25519, P-256 or RSA. Several at once, so that keys can be replaced without a pause. */
  readonly jwks?: {
    readonly keys: readonly {
      readonly kty: string;
      readonly crv?: string | undefined;
      readonly x?: string | undefined;
      readonly y?: string | undefined;
      readonly n?: string | undefined;
      readonly e?: string | undefined;
      readonly kid?: string | undefined;
      readonly alg?: string | undefined;
      readonly use?: string | undefined;
    }[];
  } | undefined;
  /** The https address of a JWKS, which is read again every few minutes. */
  readonly jwksUri?: string | undefined;
  /** Creates a secret for HS256. */
  readonly secret?: true | undefined;
};

export type NewUser = {
  /** 1 to 100 characters, no colon; unique ignoring case. */
  readonly username: string;
  /** At least 12 characters, without the user name. Never shown. An application has none. */
  readonly password?: string | undefined;
  /** At most 200 characters. */
  readonly fullName?: string | undefined;
  readonly email?: string | undefined;
  /** Names of roles. Empty: the user has no permissions. */
  readonly roles?: readonly string[] | undefined;
  /** Names of databases, or `["*"]` for all. Empty: the user sees no data. */
  readonly databases?: readonly string[] | undefined;
  /** Values by name, text or a list of texts. Replaces all but those from OpenID Connect; unchanged if omitted. Nobody may change their own, and only Administrators those that an Active query is bound to. */
  readonly attributes?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** ISO 8601 time, or a date for the end of that day (UTC); null: never. In the past: the account expires immediately. */
  readonly expiresAt?: string | null | undefined;
  /** Of an application: the user name of the person to ask about it. */
  readonly owner?: string | null | undefined;
  readonly disabled?: boolean | undefined;
  /** `person` (the default) requires a password, `application` an owner. It cannot be changed. */
  readonly kind?: UserKind | undefined;
};

export type Outcome = 'ok' | 'refused' | 'failed' | 'cancelled';

export type ParameterValue = {
  /** The @Name of the query definition; ignores case, and the @ may be left out */
  readonly ParameterName: string;
  /** Cast to the type of the parameter; numbers and booleans are read as text. null is NULL. A list has at most 1,000 values */
  readonly Value: string | number | boolean | null | readonly (string | number | boolean | null)[];
  /** SQL type hint such as nvarchar, int, datetime, bit; default: the declared type */
  readonly DataType?: string | null | undefined;
};

export type PasswordChange = {
  /** The current password. */
  readonly currentPassword: string;
  /** At least 12 characters, without the user name. */
  readonly newPassword: string;
};

export type Permission = 'queries.run' | 'queries.author' | 'queries.publish' | 'queries.epilogue' | 'embeds.create' | 'links.create' | 'databases.manage' | 'users.manage' | 'audit.view' | 'settings.manage';

export type PlannedQuery = {
  readonly queryName: string;
  /** `activate`: it is not Active; its definition may change, too. */
  readonly action: 'create' | 'change' | 'activate';
  /** The current version; null: there is none. */
  readonly before: {
    /** Display name. */
    readonly name: string;
    readonly description: string;
    readonly tip: string;
    /** Name of the database. */
    readonly database: string;
    readonly sql: string;
    readonly epilogue: string | null;
    readonly parameters: readonly QueryParameter[];
    readonly columns: readonly QueryColumn[];
    /** The chart that the query is drawn as at first; null: suggested by its columns. */
    readonly chart: QueryChart | null;
    /** Names of the roles that may run it; empty: every role. */
    readonly roles: readonly string[];
    readonly timeoutSeconds: number | null;
    readonly maxRows: number | null;
    readonly cacheSeconds: number | null;
    readonly aiAccess: boolean;
    /** `enforce`: an activation that breaks callers is refused unless it says `allowBreaking`. */
    readonly compatibility: 'warn' | 'enforce';
    readonly tags: readonly string[];
  } | null;
  /** A draft that is discarded if the definition changes. */
  readonly draft: {
    readonly version: number;
    readonly createdBy: string;
  } | null;
  readonly warnings: readonly string[];
  /** What callers notice. */
  readonly changes: readonly QueryChangeForCallers[];
  /** Whether one of the changes is breaking. */
  readonly breaking: boolean;
  /** Who notices breaking changes; null: nothing breaks, or there was no time to find out. */
  readonly affected: AffectedByChange | null;
};

export type Preview = {
  /** The first 100 rows. */
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly columns: readonly {
    readonly name: string;
    readonly type: ColumnClass;
  }[];
};

export type PreviewRequest = {
  /** Name of the database. */
  readonly database: string;
  /** One statement; names parameters `@Name` on every engine. */
  readonly sql: string;
  readonly parameters?: readonly NewQueryParameter[] | null | undefined;
  /** `[{parameterName, value, dataType?}]` or `{"@Name": value}`; the value of a list is an array. */
  readonly values?: readonly NamedValue[] | Readonly<Record<string, string | number | boolean | null | readonly (string | number | boolean | null)[]>> | null | undefined;
  /** User name whose identity parameters with `boundTo` have; needs `users.manage`. Left out: your own. */
  readonly as?: string | null | undefined;
};

export type Query = {
  readonly id: string;
  /** Technical name; fixed after the first activation. */
  readonly queryName: string;
  /** Display name. */
  readonly name: string;
  readonly description: string;
  readonly tip: string;
  /** Name of the database. */
  readonly database: string;
  readonly sql: string;
  readonly epilogue: string | null;
  readonly parameters: readonly QueryParameter[];
  readonly columns: readonly QueryColumn[];
  /** The chart that the query is drawn as at first; null: suggested by its columns. */
  readonly chart: QueryChart | null;
  /** Names of the roles that may run it; empty: every role. */
  readonly roles: readonly string[];
  readonly timeoutSeconds: number | null;
  readonly maxRows: number | null;
  readonly cacheSeconds: number | null;
  readonly aiAccess: boolean;
  /** `enforce`: an activation that breaks callers is refused unless it says `allowBreaking`. */
  readonly compatibility: 'warn' | 'enforce';
  readonly tags: readonly string[];
  /** Found by validation; null before it. */
  readonly resultColumns: readonly ResultColumn[] | null;
  readonly status: QueryStatus;
  /** Version number; also the ETag. */
  readonly version: number;
  /** Why this version exists. Left out for callers who may only run the query. */
  readonly note?: string;
  /** The number by which callers name this version: `<queryName>@<number>`; null: it was never Active. */
  readonly activatedAs: number | null;
  /** A version that awaits its activation. Edits then name its number in If-Match. */
  readonly draft: QueryDraft | null;
  readonly createdBy: string;
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly createdAt: string;
  readonly updatedBy: string;
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly updatedAt: string;
  /** Whether you may run the Active version. */
  readonly canRun: boolean;
  /** Why you may not run it; null if you may. */
  readonly cannotRunReason: string | null;
  /** Whether you may change the query or restore one of its versions. */
  readonly canEdit: boolean;
  readonly canValidate: boolean;
  readonly canActivate: boolean;
  readonly canDeactivate: boolean;
  readonly canVoid: boolean;
  /** Whether you may restore the query, which is Void, as a Draft. */
  readonly canRestore: boolean;
  readonly canDiscardDraft: boolean;
  /** Whether it is one of your favorites. */
  readonly isFavorite: boolean;
  /** When you last ran it in the web interface; null: never. */
  readonly lastUsedAt: string | null;
  /** When anyone last ran it; null: never. */
  readonly lastRunAt: string | null;
};

export type QueryActivation = {
  /** Activate changes that break callers, too. */
  readonly allowBreaking?: boolean | undefined;
  /** Refuse changes that break callers, whatever `compatibility` says. */
  readonly ifNotBreaking?: boolean | undefined;
};

export type QueryCaller = {
  /** User name; of an embed or a data link that of its issuer. */
  readonly user: string;
  /** Of the user. */
  readonly kind: UserKind | null;
  /** Name of the API key; null: another credential. */
  readonly apiKey: string | null;
  /** The AI application that the user signed in from. */
  readonly application?: string;
  readonly channel: Channel;
  /** The version that ran, by its number at activation. */
  readonly version: number;
  /** Executions; pages of a result do not count. */
  readonly calls: number;
  /** On behalf of how many viewers an application called. */
  readonly viewers?: number;
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly lastAt: string;
};

export type QueryCallers = {
  /** Who received rows, the most calls first; 1,000 at most. */
  readonly callers: readonly QueryCaller[];
  /** Number of callers that are not listed. */
  readonly moreCallers: number;
  /** From when on calls are counted: later than asked for if there are too many entries to read. */
  readonly callersSince: string;
  /** The versions that were called, the latest first. */
  readonly versions: readonly QueryVersionUse[];
};

export type QueryChange = {
  /** Display name, 1 to 200 characters. The technical name is derived from it. */
  readonly name?: string | undefined;
  /** Name of the database. */
  readonly database?: string | undefined;
  /** One statement; names parameters `@Name` on every engine. */
  readonly sql?: string | undefined;
  /** What the query returns. */
  readonly description?: string | null | undefined;
  /** How to use it. */
  readonly tip?: string | null | undefined;
  /** SQL that writes, run after the statement in the same transaction. Needs `queries.epilogue`. */
  readonly epilogue?: string | null | undefined;
  readonly parameters?: readonly NewQueryParameter[] | null | undefined;
  /** Display settings of the columns. */
  readonly columns?: readonly NewQueryColumn[] | null | undefined;
  /** The chart that the query is drawn as at first; null: suggested by its columns. */
  readonly chart?: NewQueryChart | null | undefined;
  /** Names of the roles that may run it; empty: every role. Left out of a change: unchanged. */
  readonly roles?: readonly string[] | null | undefined;
  /** Time limit; null: the default of the settings. */
  readonly timeoutSeconds?: number | null | undefined;
  /** Row limit; null: the default of the settings. */
  readonly maxRows?: number | null | undefined;
  /** How long a result may be served again; null: not cached. */
  readonly cacheSeconds?: number | null | undefined;
  /** Whether the AI gateway offers it. Left out: unchanged; for a new query true, unless it has an Epilogue. */
  readonly aiAccess?: boolean | undefined;
  /** `enforce`: an activation that breaks callers is refused unless it says `allowBreaking`. Left out: unchanged; for a new query `warn`. */
  readonly compatibility?: 'warn' | 'enforce' | undefined;
  /** Tags for searching. */
  readonly tags?: readonly string[] | null | undefined;
  /** Why this version exists. Left out: that of the draft; empty for a version that the request starts. */
  readonly note?: string | null | undefined;
};

export type QueryChangeForCallers = {
  readonly kind: 'parameterRemoved' | 'parameterAdded' | 'parameterRequired' | 'parameterOptional' | 'parameterDefault' | 'parameterNarrowed' | 'parameterWidened' | 'parameterSingle' | 'parameterList' | 'parameterBound' | 'parameterUnbound' | 'valuesRemoved' | 'valuesAdded' | 'valuesClosed' | 'valuesOpened' | 'choicesRemoved' | 'choicesAdded' | 'choicesChanged' | 'choicesClosed' | 'choicesOpened' | 'columnRemoved' | 'columnRenamed' | 'columnType' | 'columnNullable' | 'columnAdded' | 'columnsReordered' | 'maxRowsLowered' | 'maxRowsRaised' | 'epilogueAdded';
  /** `parameters.@Region`, `columns.Margin` or `maxRows`. */
  readonly path: string;
  /** Before; null: it was not there. */
  readonly from: string | number | boolean | readonly string[] | null;
  /** After; null: it is not there. */
  readonly to: string | number | boolean | readonly string[] | null;
  /** Whether calls may fail that worked before, or whether rows lack something that callers may read. */
  readonly breaking: boolean;
  /** The change in a sentence. */
  readonly message: string;
};

export type QueryChanges = {
  readonly from: ComparedVersion;
  readonly to: ComparedVersion;
  /** False: one of the versions was not validated, so its columns are not known. */
  readonly columnsCompared: boolean;
  /** Whether one of the changes is breaking. */
  readonly breaking: boolean;
  readonly changes: readonly QueryChangeForCallers[];
  /** Who received rows, the most calls first; 1,000 at most. */
  readonly callers: readonly QueryCaller[];
  /** Number of callers that are not listed. */
  readonly moreCallers: number;
  /** From when on calls are counted: later than asked for if there are too many entries to read. */
  readonly callersSince: string;
  /** The versions that were called, the latest first. */
  readonly versions: readonly QueryVersionUse[];
  /** What stands on the query, however long ago it was used; 1,000 at most. */
  readonly dependants: readonly QueryDependant[];
  /** Number of dependants that are not listed, because they are too many or because you may not see them. */
  readonly moreDependants: number;
};

export type QueryChart = {
  readonly type: ChartType;
  readonly label: string;
  readonly data: readonly string[];
  readonly series?: string;
  readonly aggregate?: Aggregate;
  readonly sortBy?: SortBy;
  readonly timeUnit?: TimeUnit;
  readonly options?: ChartOptions;
};

export type QueryColumn = {
  readonly name: string;
  readonly displayName?: string;
  readonly type?: ColumnClass;
  readonly format?: ColumnFormat;
};

export type QueryDependant = {
  /** `typedKey`: an API key with a tool for the query. `choices`: a query. */
  readonly kind: 'embed' | 'link' | 'typedKey' | 'choices';
  readonly id: string;
  /** The title of an embed, which may be empty; the technical name of a query. */
  readonly name: string;
  /** User name. */
  readonly owner: string;
  /** The version that it stays with; null: it follows the current one. */
  readonly version: number | null;
};

export type QueryDraft = {
  readonly version: number;
  readonly status: 'Draft' | 'Validated';
};

export type QueryList = {
  readonly items: readonly Query[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
};

export type QueryParameter = {
  readonly name: string;
  readonly label?: string;
  readonly dataType: string;
  readonly required: boolean;
  readonly default?: string;
  readonly description?: string;
  readonly values?: readonly string[];
  /** The values are suggestions; by default no others are accepted. */
  readonly valuesOpen?: boolean;
  readonly choices?: {
    readonly query: string;
    readonly value: string;
    readonly label?: string;
    readonly parameters?: Readonly<Record<string, string>>;
  };
  readonly choicesOnly?: boolean;
  /** Left out for callers who may only run the query. */
  readonly boundTo?: string;
  readonly multiple?: boolean;
  readonly masked?: boolean;
};

export type QueryStatus = 'Draft' | 'Validated' | 'Active' | 'Inactive' | 'Void';

export type QueryVersion = {
  readonly version: number;
  /** Null: an earlier one. */
  readonly status: 'current' | 'draft' | null;
  readonly createdBy: string;
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly createdAt: string;
  /** Why this version exists; may be empty. */
  readonly note: string;
  /** The number by which callers name this version: `<queryName>@<number>`; null: it was never Active. */
  readonly activatedAs: number | null;
  readonly activatedAt: string | null;
  /** Whether callers may name it, and you may end that. */
  readonly canRetire: boolean;
  /** From then on callers cannot name it; null: that is not set. */
  readonly retiresAt: string | null;
  /** Display name. */
  readonly name: string;
  readonly description: string;
  readonly tip: string;
  /** Name of the database. */
  readonly database: string;
  readonly sql: string;
  readonly epilogue: string | null;
  readonly parameters: readonly QueryParameter[];
  readonly columns: readonly QueryColumn[];
  /** The chart that the query is drawn as at first; null: suggested by its columns. */
  readonly chart: QueryChart | null;
  /** Names of the roles that may run it; empty: every role. */
  readonly roles: readonly string[];
  readonly timeoutSeconds: number | null;
  readonly maxRows: number | null;
  readonly cacheSeconds: number | null;
  readonly aiAccess: boolean;
  /** `enforce`: an activation that breaks callers is refused unless it says `allowBreaking`. */
  readonly compatibility: 'warn' | 'enforce';
  readonly tags: readonly string[];
  /** Found by validation; null before it. */
  readonly resultColumns: readonly ResultColumn[] | null;
};

export type QueryVersionList = {
  readonly items: readonly QueryVersion[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
};

export type QueryVersionUse = {
  readonly version: number;
  /** Accounts; of a person each key and application counts. */
  readonly callers: number;
  readonly calls: number;
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly lastAt: string;
};

export type RegisteredApplication = {
  readonly id: string;
  readonly clientId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly tokenEndpointAuthMethod: 'none' | 'client_secret_basic';
  /** Whether it may present identity assertions: for all queries, for these, or not. */
  readonly managed: boolean | readonly string[];
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  /** How many users allow it to call for them now. */
  readonly people: number;
};

export type RegisteredApplicationList = {
  readonly items: readonly RegisteredApplication[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
};

export type ResultColumn = {
  /** As named by the database. */
  readonly name: string;
  /** Display name. */
  readonly label: string;
  /** As spelled by the database. */
  readonly type: string;
  readonly kind: string;
  readonly class: ColumnClass;
  readonly format?: ColumnFormat;
};

export type ResultPage = {
  /** One object per row; keys are display column names */
  readonly Data: readonly Readonly<Record<string, unknown>>[];
  /** Page size used */
  readonly RowSize: number;
  /** Offset to send as RowIndex on the next call */
  readonly NextRowIndex: number;
  /** Continuation token; null when no rows remain */
  readonly QueryMoreCode: string | null;
};

export type Role = {
  readonly id: string;
  readonly name: string;
  /** Only shown to users who manage users. */
  readonly permissions?: readonly Permission[];
  /** Incremented by every change; also the ETag, for If-Match. Only shown to users who manage users. */
  readonly version?: number;
  /** True for Administrator, which cannot be changed or deleted. Only shown to users who manage users. */
  readonly builtIn?: boolean;
  /** Whether you may give it to users. Only shown to users who manage users. */
  readonly canGrant?: boolean;
  /** Whether you may change or delete it. Only shown to users who manage users. */
  readonly canEdit?: boolean;
};

export type RoleChange = {
  /** 1 to 100 characters, unique ignoring case. */
  readonly name?: string | undefined;
  /** Its permissions. Nobody can grant a permission that they lack. */
  readonly permissions?: readonly Permission[] | undefined;
};

export type RoleList = {
  readonly items: readonly Role[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
};

export type SentQuery = {
  /** Technical name of an Active query */
  readonly QueryName: string;
  /** Values of the declared parameters; optional ones may be left out */
  readonly Parameters: readonly ParameterValue[] | Readonly<Record<string, string | number | boolean | null | readonly (string | number | boolean | null)[]>>;
  /** Zero-based row offset; default 0 */
  readonly RowIndex?: number | null | undefined;
  /** Rows to return; above the maximum it is clamped */
  readonly RowSize?: number | null | undefined;
  /** QueryMoreCode of the previous page */
  readonly QueryMoreCode?: string | null | undefined;
};

export type Session = {
  readonly id: string;
  readonly kind: UserKind;
  readonly username: string;
  readonly fullName: string;
  readonly email: string;
  /** Names of the roles held. */
  readonly roles: readonly string[];
  /** The permissions of all roles combined. */
  readonly permissions: readonly Permission[];
  /** Names of the databases in scope; `*` alone means all. */
  readonly databases: readonly string[];
  /** Facts about the user that queries may be bound to. */
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
  /** When the account expires; null: never. */
  readonly expiresAt: string | null;
  /** Signs in through OpenID Connect and has no password here. */
  readonly external: boolean;
  /** Whether you see and may cancel the running queries of all users. */
  readonly canManageExecutions: boolean;
  readonly edition: 'standard' | 'extended';
  /** Whether the AI gateway is on. */
  readonly mcp: boolean;
  /** Whether AI applications may sign people in, at `/mcp/oauth`. */
  readonly oauth: boolean;
  readonly version: string;
  /** Start of links and snippets. */
  readonly baseUrl: string;
  /** IANA time zone of relative moments such as `today`. */
  readonly timeZone: string;
  /** Folders that may contain SQLite and DuckDB files. Only shown to users who manage databases. */
  readonly fileFolders?: readonly string[];
  /** Rows of a page if the caller sends no `RowSize`. */
  readonly rowsDefault: number;
  /** Most rows of a page, and of a chart. */
  readonly rowsMax: number;
};

export type Setting = {
  readonly name: string;
  /** Its path in sluice.yaml. */
  readonly key: string;
  /** Its environment variable. */
  readonly env: string;
  readonly meaning: string;
  /** Whether it may be changed while the service runs. */
  readonly changeable: boolean;
  /** A secret is listed without its values. */
  readonly secret: boolean;
  /** Source of the value: `configured` by settings file or environment, `changed` at runtime. */
  readonly source: 'default' | 'configured' | 'changed';
  /** The value in effect. */
  readonly value?: unknown;
  /** The value from settings file and environment; in effect after a reset. */
  readonly configured?: unknown;
  readonly default?: unknown;
};

export type SettingChange = Readonly<Record<string, unknown>>;

export type SettingList = {
  readonly settings: readonly Setting[];
};

export type ShortPage = {
  /** One object per row; keys are display column names */
  readonly data: readonly Readonly<Record<string, unknown>>[];
  /** Page size used */
  readonly rowSize: number;
  /** Offset to send as rowIndex on the next call */
  readonly nextRowIndex: number;
  /** Continuation token; null when no rows remain */
  readonly queryMoreCode: string | null;
};

export type ShortParameterValue = {
  /** The @Name of the query definition; ignores case, and the @ may be left out */
  readonly parameterName: string;
  /** Cast to the type of the parameter; numbers and booleans are read as text. null is NULL. A list has at most 1,000 values */
  readonly value: string | number | boolean | null | readonly (string | number | boolean | null)[];
  /** SQL type hint such as nvarchar, int, datetime, bit; default: the declared type */
  readonly dataType?: string | null | undefined;
};

export type ShortQuery = {
  /** That of the path */
  readonly queryName?: string | null | undefined;
  /** Values of the declared parameters; optional ones may be left out */
  readonly parameters?: readonly ShortParameterValue[] | Readonly<Record<string, string | number | boolean | null | readonly (string | number | boolean | null)[]>> | null | undefined;
  /** Zero-based row offset; default 0 */
  readonly rowIndex?: number | null | undefined;
  /** Rows to return; above the maximum it is clamped */
  readonly rowSize?: number | null | undefined;
  /** QueryMoreCode of the previous page */
  readonly queryMoreCode?: string | null | undefined;
};

export type SignIn = {
  readonly username: string;
  readonly password: string;
};

export type SignInOptions = {
  /** OpenID Connect sign-in; null: user name and password only. */
  readonly company: {
    readonly name: string;
    /** The URL for the browser; accepts `?next=/path`. */
    readonly url: string;
  } | null;
};

export type SigningKey = {
  readonly kid: string | null;
  /** `EdDSA`, `ES256`, `RS256` or `HS256`. */
  readonly alg: string;
};

export type SigningKeys = {
  /** Null: the application has no keys and signs no tokens. */
  readonly kind: SigningKeysKind | null;
  /** The keys that are stored here. */
  readonly keys: readonly SigningKey[];
  readonly jwksUri: string | null;
};

export type SigningKeysKind = 'jwks' | 'jwksUri' | 'secret';

export type SortBy = 'none' | 'value' | 'label';

export type Stacked = 'none' | 'stacked' | 'percent';

export type SummaryRequest = {
  /** Technical name of an Active query */
  readonly QueryName: string;
  /** Values of the declared parameters; optional ones may be left out */
  readonly Parameters: readonly ParameterValue[] | Readonly<Record<string, string | number | boolean | null | readonly (string | number | boolean | null)[]>>;
  /** Zero-based row offset; default 0 */
  readonly RowIndex?: number | null | undefined;
  /** Rows to return; above the maximum it is clamped */
  readonly RowSize?: number | null | undefined;
  /** QueryMoreCode of the previous page */
  readonly QueryMoreCode?: string | null | undefined;
  /** Column whose values are the groups */
  readonly labelColumn: string;
  /** Column or columns that are aggregated */
  readonly dataColumn: string | readonly string[];
  /** Column that divides each group into series */
  readonly seriesColumn?: string | null | undefined;
  /** Default sum; count: values that are not null; none: with a chartType */
  readonly aggregate?: Aggregate | null | undefined;
  /** Of a label with dates or times; default auto */
  readonly timeUnit?: TimeUnit | null | undefined;
  /** Default none: times in order, others as they come */
  readonly sortBy?: SortBy | null | undefined;
  /** Keeps the first groups and drops the rest */
  readonly limit?: number | null | undefined;
  /** Returns what a chart of this type draws: the largest labels and one for the others, or points that stand for all rows */
  readonly chartType?: ChartType | null | undefined;
  /** With a chartType: also the smaller labels; default false */
  readonly allLabels?: boolean | null | undefined;
};

export type TimeUnit = 'auto' | 'none' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

export type UnsavedDatabase = {
  /** A stored database whose secrets are used if the connection is otherwise unchanged. */
  readonly id?: string | undefined;
  /** 1 to 100 characters, unique ignoring case. Part of the technical names of its queries. */
  readonly name?: string | undefined;
  /** `duckdb`, `sqlite`, `postgres`, `mysql`, `sqlserver`, `clickhouse` or `trino`. Cannot be changed. */
  readonly kind: string;
  /** `{host, port, user, password, database, tls?}`, or `{file}` for DuckDB and SQLite. Secrets are never returned. */
  readonly connection: Readonly<Record<string, unknown>>;
  /** Settings of the engine. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** An Epilogue may write to it. */
  readonly writable?: boolean | undefined;
};

export type User = {
  readonly id: string;
  /** An `application` is an account for a program: it has API keys and no password, and cannot sign in. */
  readonly kind: UserKind;
  readonly username: string;
  readonly fullName: string;
  readonly email: string;
  /** Names of the roles held. */
  readonly roles: readonly string[];
  /** Names of the databases in scope; `*` alone means all. */
  readonly databases: readonly string[];
  /** Facts about the user that queries may be bound to. */
  readonly attributes: Readonly<Record<string, string | readonly string[]>>;
  /** When the account expires; null: never. */
  readonly expiresAt: string | null;
  readonly disabled: boolean;
  /** Signs in through OpenID Connect: has no password here, and gets name, roles and databases at each sign-in. */
  readonly external: boolean;
  /** Of an application: the user name of the person to ask about it; null if that person was deleted. */
  readonly owner: string | null;
  /** Of an application: when one of its keys was last used. */
  readonly lastUsedAt: string | null;
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly createdAt: string;
  /** Incremented by every change; also the ETag, for If-Match. */
  readonly version: number;
  /** Whether you may change the user. */
  readonly canEdit: boolean;
  /** Whether you may change roles, databases and expiry, too. */
  readonly canEditRights: boolean;
  readonly canDelete: boolean;
  /** Fields that you may not change: those of your own identity, and those that an Active query is bound to, such as `email` or `attributes.region`. */
  readonly lockedFields: readonly string[];
};

export type UserChange = {
  /** 1 to 100 characters, no colon; unique ignoring case. */
  readonly username?: string | undefined;
  /** At least 12 characters, without the user name. Never shown. An application has none. */
  readonly password?: string | undefined;
  /** At most 200 characters. */
  readonly fullName?: string | undefined;
  readonly email?: string | undefined;
  /** Names of roles. Empty: the user has no permissions. */
  readonly roles?: readonly string[] | undefined;
  /** Names of databases, or `["*"]` for all. Empty: the user sees no data. */
  readonly databases?: readonly string[] | undefined;
  /** Values by name, text or a list of texts. Replaces all but those from OpenID Connect; unchanged if omitted. Nobody may change their own, and only Administrators those that an Active query is bound to. */
  readonly attributes?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** ISO 8601 time, or a date for the end of that day (UTC); null: never. In the past: the account expires immediately. */
  readonly expiresAt?: string | null | undefined;
  /** Of an application: the user name of the person to ask about it. */
  readonly owner?: string | null | undefined;
  readonly disabled?: boolean | undefined;
};

export type UserKind = 'person' | 'application';

export type UserList = {
  readonly items: readonly User[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
};

export type UserReplacement = {
  /** 1 to 100 characters, no colon; unique ignoring case. */
  readonly username: string;
  /** At least 12 characters, without the user name. Never shown. An application has none. */
  readonly password?: string | undefined;
  /** At most 200 characters. */
  readonly fullName?: string | undefined;
  readonly email?: string | undefined;
  /** Names of roles. Empty: the user has no permissions. */
  readonly roles?: readonly string[] | undefined;
  /** Names of databases, or `["*"]` for all. Empty: the user sees no data. */
  readonly databases?: readonly string[] | undefined;
  /** Values by name, text or a list of texts. Replaces all but those from OpenID Connect; unchanged if omitted. Nobody may change their own, and only Administrators those that an Active query is bound to. */
  readonly attributes?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** ISO 8601 time, or a date for the end of that day (UTC); null: never. In the past: the account expires immediately. */
  readonly expiresAt?: string | null | undefined;
  /** Of an application: the user name of the person to ask about it. */
  readonly owner?: string | null | undefined;
  readonly disabled?: boolean | undefined;
};

export type ValidatedQuery = {
  readonly id: string;
  /** Technical name; fixed after the first activation. */
  readonly queryName: string;
  /** Display name. */
  readonly name: string;
  readonly description: string;
  readonly tip: string;
  /** Name of the database. */
  readonly database: string;
  readonly sql: string;
  readonly epilogue: string | null;
  readonly parameters: readonly QueryParameter[];
  readonly columns: readonly QueryColumn[];
  /** The chart that the query is drawn as at first; null: suggested by its columns. */
  readonly chart: QueryChart | null;
  /** Names of the roles that may run it; empty: every role. */
  readonly roles: readonly string[];
  readonly timeoutSeconds: number | null;
  readonly maxRows: number | null;
  readonly cacheSeconds: number | null;
  readonly aiAccess: boolean;
  /** `enforce`: an activation that breaks callers is refused unless it says `allowBreaking`. */
  readonly compatibility: 'warn' | 'enforce';
  readonly tags: readonly string[];
  /** Found by validation; null before it. */
  readonly resultColumns: readonly ResultColumn[] | null;
  readonly status: QueryStatus;
  /** Version number; also the ETag. */
  readonly version: number;
  /** Why this version exists. Left out for callers who may only run the query. */
  readonly note?: string;
  /** The number by which callers name this version: `<queryName>@<number>`; null: it was never Active. */
  readonly activatedAs: number | null;
  /** A version that awaits its activation. Edits then name its number in If-Match. */
  readonly draft: QueryDraft | null;
  readonly createdBy: string;
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly createdAt: string;
  readonly updatedBy: string;
  /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
  readonly updatedAt: string;
  /** Whether you may run the Active version. */
  readonly canRun: boolean;
  /** Why you may not run it; null if you may. */
  readonly cannotRunReason: string | null;
  /** Whether you may change the query or restore one of its versions. */
  readonly canEdit: boolean;
  readonly canValidate: boolean;
  readonly canActivate: boolean;
  readonly canDeactivate: boolean;
  readonly canVoid: boolean;
  /** Whether you may restore the query, which is Void, as a Draft. */
  readonly canRestore: boolean;
  readonly canDiscardDraft: boolean;
  /** Whether it is one of your favorites. */
  readonly isFavorite: boolean;
  /** When you last ran it in the web interface; null: never. */
  readonly lastUsedAt: string | null;
  /** When anyone last ran it; null: never. */
  readonly lastRunAt: string | null;
  /** Warnings for the author; omitted if there are none. */
  readonly warnings?: readonly string[];
};

export type VersionRestore = {
  /** Left out: `Restored from version` and its number. */
  readonly note?: string | null | undefined;
};

export type VersionRetirement = {
  /** Left out: now. */
  readonly at?: string | undefined;
};

export type Viewer = {
  readonly sub: string;
  readonly calls: number;
  /** Null: not seen for 30 days. */
  readonly lastUsedAt: string | null;
  /** Null: not blocked. */
  readonly blockedAt: string | null;
};

export type ViewerList = {
  readonly items: readonly Viewer[];
  /** Send it as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
};
