// Generated from the OpenAPI document by web/generate-api-types.ts. Do not edit.

export interface Operations {
  /** Run a query, a page of rows as JSON */
  'POST /api/v1/JsonBuilder/ExecuteQuery': {
    headers: {
      /** Zero-based row offset; default 0 */
      readonly RowIndex?: string | undefined;
      /** Rows to return; above the maximum it is clamped */
      readonly RowSize?: string | undefined;
      /** QueryMoreCode of the page before */
      readonly QueryMoreCode?: string | undefined;
      /** `no-cache`: run the query although an identical call has a result to share */
      readonly 'Cache-Control'?: string | undefined;
    };
    body: {
      /** Technical name of an Active query */
      readonly QueryName: string;
      /** One object per declared parameter; optional ones may be left out */
      readonly Parameters: readonly {
        /** Exact @Name of the query definition */
        readonly ParameterName: string;
        /** Always a string; the service casts it to DataType. null is NULL */
        readonly Value: string | null;
        /** SQL type hint such as nvarchar, int, datetime, bit; left out, the declared type counts */
        readonly DataType?: string | undefined;
      }[];
    };
    response: {
      /** One object per row; keys are display column names */
      readonly Data: readonly Readonly<Record<string, unknown>>[];
      /** Page size used */
      readonly RowSize: number;
      /** Offset to send as RowIndex on the next call */
      readonly NextRowIndex: number;
      /** Continuation token; null when no rows remain */
      readonly QueryMoreCode: string | null;
    };
  };
  /** Run a query, a page of rows with each column classed as categorical or numeric */
  'POST /api/v1/ChartBuilder/ExecuteQuery': {
    headers: {
      /** Zero-based row offset; default 0 */
      readonly RowIndex?: string | undefined;
      /** Rows to return; above the maximum it is clamped */
      readonly RowSize?: string | undefined;
      /** QueryMoreCode of the page before */
      readonly QueryMoreCode?: string | undefined;
      /** `no-cache`: run the query although an identical call has a result to share */
      readonly 'Cache-Control'?: string | undefined;
    };
    body: {
      /** Technical name of an Active query */
      readonly QueryName: string;
      /** One object per declared parameter; optional ones may be left out */
      readonly Parameters: readonly {
        /** Exact @Name of the query definition */
        readonly ParameterName: string;
        /** Always a string; the service casts it to DataType. null is NULL */
        readonly Value: string | null;
        /** SQL type hint such as nvarchar, int, datetime, bit; left out, the declared type counts */
        readonly DataType?: string | undefined;
      }[];
    };
    response: {
      /** One object per row; keys are display column names */
      readonly Data: readonly Readonly<Record<string, unknown>>[];
      /** Page size used */
      readonly RowSize: number;
      /** Offset to send as RowIndex on the next call */
      readonly NextRowIndex: number;
      /** Continuation token; null when no rows remain */
      readonly QueryMoreCode: string | null;
      readonly Columns: readonly {
        readonly Name: string;
        readonly Type: 'categorical' | 'numeric';
      }[];
    };
  };
  /** The same as JsonBuilder/ExecuteQuery in camelCase, with paging in the body */
  'POST /api/query/execute/{queryName}': {
    params: {
      /** Technical name of an Active query */
      readonly queryName: string;
    };
    headers: {
      /** Zero-based row offset; default 0 */
      readonly RowIndex?: string | undefined;
      /** Rows to return; above the maximum it is clamped */
      readonly RowSize?: string | undefined;
      /** QueryMoreCode of the page before */
      readonly QueryMoreCode?: string | undefined;
      /** `no-cache`: run the query although an identical call has a result to share */
      readonly 'Cache-Control'?: string | undefined;
    };
    body: {
      /** An array of parameters or an object {"@Name": value} */
      readonly parameters?: readonly {
        readonly parameterName: string;
        readonly value: string | null;
        readonly dataType?: string | undefined;
      }[] | Readonly<Record<string, string | number | boolean | null>> | undefined;
      readonly rowIndex?: number | undefined;
      readonly rowSize?: number | undefined;
      readonly queryMoreCode?: string | null | undefined;
    };
    response: {
      readonly data: readonly Readonly<Record<string, unknown>>[];
      readonly rowSize: number;
      readonly nextRowIndex: number;
      readonly queryMoreCode: string | null;
    };
  };
  /** The parameters that a query takes */
  'GET /api/v1/JsonBuilder/GetQueryParameters': {
    query: {
      /** Technical name of an Active query */
      readonly queryName: string;
    };
    response: {
      readonly QueryName: string;
      readonly Parameters: readonly {
        readonly ParameterName: string;
        readonly DataType: string;
        readonly Required: boolean;
        readonly Default: string | null;
        readonly Description: string | null;
      }[];
    };
  };
  /** Run a query, its whole result as a file */
  'POST /api/v1/Export/ExecuteQuery': {
    query: {
      readonly format: 'csv' | 'json' | 'ndjson' | 'xlsx' | 'parquet';
    };
    body: {
      /** Technical name of an Active query */
      readonly QueryName: string;
      /** One object per declared parameter; optional ones may be left out */
      readonly Parameters: readonly {
        /** Exact @Name of the query definition */
        readonly ParameterName: string;
        /** Always a string; the service casts it to DataType. null is NULL */
        readonly Value: string | null;
        /** SQL type hint such as nvarchar, int, datetime, bit; left out, the declared type counts */
        readonly DataType?: string | undefined;
      }[];
    };
    response: unknown;
  };
  /** Run a query, write its whole result to a file, and get a link to it for ten minutes */
  'POST /api/v1/Export/CreateLink': {
    query: {
      readonly format: 'csv' | 'json' | 'ndjson' | 'xlsx' | 'parquet';
      /** Name of the file; left out, the query's name */
      readonly fileName?: string | undefined;
    };
    body: {
      /** Technical name of an Active query */
      readonly QueryName: string;
      /** One object per declared parameter; optional ones may be left out */
      readonly Parameters: readonly {
        /** Exact @Name of the query definition */
        readonly ParameterName: string;
        /** Always a string; the service casts it to DataType. null is NULL */
        readonly Value: string | null;
        /** SQL type hint such as nvarchar, int, datetime, bit; left out, the declared type counts */
        readonly DataType?: string | undefined;
      }[];
    };
    response: {
      readonly format: string;
      readonly fileName: string;
      readonly mimeType: string;
      /** Bytes */
      readonly size: number;
      readonly rowCount: number;
      /** Needs no credential; whoever has it has the file */
      readonly downloadUrl: string;
      /** ISO 8601, in UTC */
      readonly expiresAt: string;
    };
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
      readonly chartType: 'bar' | 'line' | 'area' | 'scatter' | 'pie' | 'donut' | 'polarArea' | 'radar' | 'radialBar' | 'heatmap' | 'treemap' | 'boxPlot';
      /** Column for the x axis or the labels */
      readonly labelColumn: string;
      /** Column for the y axis or the values */
      readonly dataColumn: string;
      /** 1 to 3650, or never; default 7 */
      readonly expirationDays?: string | undefined;
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
      readonly legendPosition?: 'top' | 'bottom' | 'left' | 'right' | undefined;
      /** Default true */
      readonly enableZoom?: 'true' | 'false' | undefined;
      /** Default true */
      readonly enableAnimations?: 'true' | 'false' | undefined;
      /** Milliseconds, 0 to 10000; default 800 */
      readonly animationSpeed?: string | undefined;
      /** Default vertical */
      readonly barOrientation?: 'vertical' | 'horizontal' | undefined;
      /** Percent of the space there is, 1 to 100; default 60 */
      readonly barWidth?: string | undefined;
      /** Default auto: as the reader's system is */
      readonly theme?: 'auto' | 'light' | 'dark' | undefined;
      /** Hatches and dots beside the colours, to tell series apart without them; default false */
      readonly patterns?: 'true' | 'false' | undefined;
    };
    response: {
      readonly Id: string;
      readonly Token: string;
      /** Needs no credential; whoever has it sees the chart */
      readonly EmbedUrl: string;
      readonly IframeCode: string;
      /** ISO 8601, in UTC; null: never */
      readonly ExpiresAt: string | null;
    };
  };
  /** A link that shows a chart to viewers who do not sign in */
  'POST /api/v1/EmbeddedChart/GetEmbedUrl': {
    query: {
      /** Technical name of an Active query */
      readonly queryName: string;
      /** JSON array of {ParameterName, Value, DataType} */
      readonly parameters?: string | undefined;
      readonly chartType: 'bar' | 'line' | 'area' | 'scatter' | 'pie' | 'donut' | 'polarArea' | 'radar' | 'radialBar' | 'heatmap' | 'treemap' | 'boxPlot';
      /** Column for the x axis or the labels */
      readonly labelColumn: string;
      /** Column for the y axis or the values */
      readonly dataColumn: string;
      /** 1 to 3650, or never; default 7 */
      readonly expirationDays?: string | undefined;
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
      readonly legendPosition?: 'top' | 'bottom' | 'left' | 'right' | undefined;
      /** Default true */
      readonly enableZoom?: 'true' | 'false' | undefined;
      /** Default true */
      readonly enableAnimations?: 'true' | 'false' | undefined;
      /** Milliseconds, 0 to 10000; default 800 */
      readonly animationSpeed?: string | undefined;
      /** Default vertical */
      readonly barOrientation?: 'vertical' | 'horizontal' | undefined;
      /** Percent of the space there is, 1 to 100; default 60 */
      readonly barWidth?: string | undefined;
      /** Default auto: as the reader's system is */
      readonly theme?: 'auto' | 'light' | 'dark' | undefined;
      /** Hatches and dots beside the colours, to tell series apart without them; default false */
      readonly patterns?: 'true' | 'false' | undefined;
    };
    response: {
      readonly Id: string;
      readonly Token: string;
      /** Needs no credential; whoever has it sees the chart */
      readonly EmbedUrl: string;
      readonly IframeCode: string;
      /** ISO 8601, in UTC; null: never */
      readonly ExpiresAt: string | null;
    };
  };
  /** The chart of a token, as a page */
  'GET /api/v1/EmbeddedChart/RenderByToken': {
    query: {
      /** Of an EmbedUrl */
      readonly token: string;
    };
    response: unknown;
  };
  /** The chart of a token, as a picture */
  'GET /api/v1/EmbeddedChart/RenderImage': {
    query: {
      /** Of an EmbedUrl */
      readonly token: string;
      /** Default svg */
      readonly format?: 'svg' | 'png' | undefined;
    };
    response: unknown;
  };
  /** Sign in: sets the session cookie */
  'POST /api/v1/session': {
    body: {
      readonly username: string;
      readonly password: string;
    };
    response: {
      readonly id: string;
      readonly username: string;
      readonly fullName: string;
      readonly email: string;
      /** Names of the roles held. */
      readonly roles: readonly string[];
      /** What the roles permit together. */
      readonly permissions: readonly ('queries.run' | 'queries.author' | 'queries.publish' | 'queries.epilogue' | 'embeds.create' | 'databases.manage' | 'users.manage' | 'audit.view' | 'settings.manage')[];
      /** Names of the databases in scope; `*` alone means all. */
      readonly databases: readonly string[];
      /** When the account ends; null: never. */
      readonly expiresAt: string | null;
      /** Signs in at the company, and has no password here. */
      readonly external: boolean;
      readonly edition: 'standard' | 'extended';
      /** Whether the AI gateway is on. */
      readonly mcp: boolean;
      readonly version: string;
    };
  };
  /** Who am I, with what this installation offers */
  'GET /api/v1/session': {
    query: {
      /** `true`: 200 with `null` instead of 401 where no session is there, or is over. A key or password that is wrong stays a 401. */
      readonly optional?: 'true' | 'false' | undefined;
    };
    response: {
      readonly id: string;
      readonly username: string;
      readonly fullName: string;
      readonly email: string;
      /** Names of the roles held. */
      readonly roles: readonly string[];
      /** What the roles permit together. */
      readonly permissions: readonly ('queries.run' | 'queries.author' | 'queries.publish' | 'queries.epilogue' | 'embeds.create' | 'databases.manage' | 'users.manage' | 'audit.view' | 'settings.manage')[];
      /** Names of the databases in scope; `*` alone means all. */
      readonly databases: readonly string[];
      /** When the account ends; null: never. */
      readonly expiresAt: string | null;
      /** Signs in at the company, and has no password here. */
      readonly external: boolean;
      readonly edition: 'standard' | 'extended';
      /** Whether the AI gateway is on. */
      readonly mcp: boolean;
      readonly version: string;
    } | null;
  };
  /** Sign out */
  'DELETE /api/v1/session': {
    response: null;
  };
  /** How one can sign in */
  'GET /api/v1/session/options': {
    response: {
      /** Signing in at the company; null: with user name and password only. */
      readonly company: {
        readonly name: string;
        /** Where a browser goes; takes `?next=/path`. */
        readonly url: string;
      } | null;
    };
  };
  /** Sign in at the company: leads to the provider's page */
  'GET /api/v1/session/oidc': {
    query: {
      /** The page of this service to go on with. */
      readonly next?: string | undefined;
    };
    response: unknown;
  };
  /** Where the provider leads back to: sets the session cookie */
  'GET /api/v1/session/oidc/callback': {
    response: unknown;
  };
  /** Who am I, and what may I do */
  'GET /api/v1/account': {
    response: {
      readonly id: string;
      readonly username: string;
      readonly fullName: string;
      readonly email: string;
      /** Names of the roles held. */
      readonly roles: readonly string[];
      /** What the roles permit together. */
      readonly permissions: readonly ('queries.run' | 'queries.author' | 'queries.publish' | 'queries.epilogue' | 'embeds.create' | 'databases.manage' | 'users.manage' | 'audit.view' | 'settings.manage')[];
      /** Names of the databases in scope; `*` alone means all. */
      readonly databases: readonly string[];
      /** When the account ends; null: never. */
      readonly expiresAt: string | null;
      /** Signs in at the company, and has no password here. */
      readonly external: boolean;
    };
  };
  /** Change my password; all my sessions end, this one too */
  'PUT /api/v1/account/password': {
    body: {
      /** The password that counts until now. */
      readonly currentPassword: string;
      /** At least 12 characters, without the user name. */
      readonly newPassword: string;
    };
    response: null;
  };
  /** My embeds, newest first; for an Administrator everyone's */
  'GET /api/v1/embeds': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the page before. */
      readonly cursor?: string | undefined;
      /** Part of the name, in any case. */
      readonly search?: string | undefined;
    };
    response: {
      readonly items: readonly {
        readonly id: string;
        readonly queryName: string;
        readonly title: string;
        /** The options of the chart, as GetEmbedUrl takes them. */
        readonly chart: Readonly<Record<string, unknown>>;
        /** Values by name. */
        readonly parameters: Readonly<Record<string, string | null>>;
        /** User name: a view has the rights that this user has then. */
        readonly issuer: string;
        /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
        readonly createdAt: string;
        /** When the token that counts now was issued. */
        readonly issuedAt: string;
        /** Null: never. */
        readonly expirationDays: number | null;
        /** Null: never. */
        readonly expiresAt: string | null;
        readonly state: 'valid' | 'expired';
        readonly views: number;
        /** Null: not seen yet. */
        readonly lastViewedAt: string | null;
        /** Null in the list of an Administrator, where it is someone else's. */
        readonly embedUrl: string | null;
        readonly iframeCode: string | null;
      }[];
      /** Send it as `cursor` for the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Give an embed a new token; the one before ends with the answer */
  'POST /api/v1/embeds/{id}/regenerate': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    body: {
      /** Left out: the lifetime that it had, anew. "never" or null: for ever. */
      readonly expirationDays?: number | 'never' | null | undefined;
    };
    response: {
      readonly Id: string;
      readonly Token: string;
      /** Needs no credential; whoever has it sees the chart */
      readonly EmbedUrl: string;
      readonly IframeCode: string;
      /** ISO 8601, in UTC; null: never */
      readonly ExpiresAt: string | null;
    };
  };
  /** Revoke an embed: its link ends with the answer */
  'DELETE /api/v1/embeds/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: null;
  };
  /** The MCP gateway and its tools */
  'GET /api/v1/mcp/tools': {
    response: {
      /** Whether the gateway answers. */
      readonly enabled: boolean;
      /** Where clients find it. */
      readonly url: string;
      readonly tools: readonly {
        readonly name: string;
        readonly title: string;
        readonly description: string;
        readonly inputSchema: Readonly<Record<string, unknown>>;
        readonly outputSchema: Readonly<Record<string, unknown>>;
        readonly annotations: Readonly<Record<string, string | boolean>>;
      }[];
    };
  };
  /** Every setting with the value that counts now */
  'GET /api/v1/settings': {
    response: {
      readonly settings: readonly {
        readonly name: string;
        /** Its place in sluice.yaml. */
        readonly key: string;
        /** Its environment variable. */
        readonly env: string;
        readonly meaning: string;
        /** Whether it may be changed while the service runs. */
        readonly changeable: boolean;
        /** A secret is listed without its values. */
        readonly secret: boolean;
        /** Where the value comes from: `configured` by settings file or environment, `changed` while the service runs. */
        readonly source: 'default' | 'configured' | 'changed';
        /** What counts now. */
        readonly value?: unknown;
        /** What the settings file and the environment say; a reset leads back to it. */
        readonly configured?: unknown;
        readonly default?: unknown;
      }[];
    };
  };
  /** Change settings while the service runs */
  'PATCH /api/v1/settings': {
    body: Readonly<Record<string, unknown>>;
    response: {
      readonly settings: readonly {
        readonly name: string;
        /** Its place in sluice.yaml. */
        readonly key: string;
        /** Its environment variable. */
        readonly env: string;
        readonly meaning: string;
        /** Whether it may be changed while the service runs. */
        readonly changeable: boolean;
        /** A secret is listed without its values. */
        readonly secret: boolean;
        /** Where the value comes from: `configured` by settings file or environment, `changed` while the service runs. */
        readonly source: 'default' | 'configured' | 'changed';
        /** What counts now. */
        readonly value?: unknown;
        /** What the settings file and the environment say; a reset leads back to it. */
        readonly configured?: unknown;
        readonly default?: unknown;
      }[];
    };
  };
  /** My API keys, newest first; expired and revoked ones too */
  'GET /api/v1/account/api-keys': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the page before. */
      readonly cursor?: string | undefined;
      /** Part of the name, in any case. */
      readonly search?: string | undefined;
    };
    response: {
      readonly items: readonly {
        readonly id: string;
        readonly name: string;
        /** How the key begins, to recognise it by. */
        readonly prefix: string;
        /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
        readonly createdAt: string;
        /** Null: not used yet. */
        readonly lastUsedAt: string | null;
        /** Null: never. */
        readonly expiresAt: string | null;
        readonly state: 'active' | 'expired' | 'revoked';
        /** The only queries that it reaches; null: all that its user may run. */
        readonly queries: readonly string[] | null;
        /** What counts for the key now: its own limits or, where narrower, those of every key; null: none. */
        readonly limits: {
          readonly callsPerSecond: number | null;
          /** A day begins at midnight UTC. */
          readonly rowsPerDay: number | null;
          /** Queries that run at the same time. */
          readonly concurrent: number | null;
        };
        /** Rows that it has had since midnight UTC; a few seconds old. */
        readonly rowsToday: number;
      }[];
      /** Send it as `cursor` for the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Create an API key; at most five are active at a time */
  'POST /api/v1/account/api-keys': {
    body: {
      /** What it is for; 1 to 100 characters. */
      readonly name: string;
      /** 1 to 3650, or null for never; left out: 90. A key never outlives the account's own expiry. */
      readonly expiresInDays?: number | null | undefined;
      /** Technical names: the key then reaches these queries and nothing else. */
      readonly queries?: readonly string[] | null | undefined;
      /** Limits of this key alone. Where every key is limited, it may have less, not more. */
      readonly limits?: {
        /** Calls a second; 1 to 1000000. */
        readonly callsPerSecond?: number | null | undefined;
        /** Rows a day, which begins at midnight UTC; 1 to 1000000000000. */
        readonly rowsPerDay?: number | null | undefined;
        /** Queries that run at the same time; 1 to 1000. */
        readonly concurrent?: number | null | undefined;
      } | null | undefined;
    };
    response: {
      readonly id: string;
      readonly name: string;
      /** How the key begins, to recognise it by. */
      readonly prefix: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly createdAt: string;
      /** Null: not used yet. */
      readonly lastUsedAt: string | null;
      /** Null: never. */
      readonly expiresAt: string | null;
      readonly state: 'active' | 'expired' | 'revoked';
      /** The only queries that it reaches; null: all that its user may run. */
      readonly queries: readonly string[] | null;
      /** What counts for the key now: its own limits or, where narrower, those of every key; null: none. */
      readonly limits: {
        readonly callsPerSecond: number | null;
        /** A day begins at midnight UTC. */
        readonly rowsPerDay: number | null;
        /** Queries that run at the same time. */
        readonly concurrent: number | null;
      };
      /** Rows that it has had since midnight UTC; a few seconds old. */
      readonly rowsToday: number;
      /** The key itself. It is shown this once and not stored. */
      readonly key: string;
    };
  };
  /** Revoke an API key; access ends with the answer */
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
      /** `nextCursor` of the page before. */
      readonly cursor?: string | undefined;
      /** Part of the name, in any case. */
      readonly search?: string | undefined;
    };
    response: {
      readonly items: readonly {
        readonly id: string;
        readonly name: string;
        /** How the key begins, to recognise it by. */
        readonly prefix: string;
        /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
        readonly createdAt: string;
        /** Null: not used yet. */
        readonly lastUsedAt: string | null;
        /** Null: never. */
        readonly expiresAt: string | null;
        readonly state: 'active' | 'expired' | 'revoked';
        /** The only queries that it reaches; null: all that its user may run. */
        readonly queries: readonly string[] | null;
        /** What counts for the key now: its own limits or, where narrower, those of every key; null: none. */
        readonly limits: {
          readonly callsPerSecond: number | null;
          /** A day begins at midnight UTC. */
          readonly rowsPerDay: number | null;
          /** Queries that run at the same time. */
          readonly concurrent: number | null;
        };
        /** Rows that it has had since midnight UTC; a few seconds old. */
        readonly rowsToday: number;
      }[];
      /** Send it as `cursor` for the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
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
      /** `nextCursor` of the page before. */
      readonly cursor?: string | undefined;
      /** Part of the name, in any case. */
      readonly search?: string | undefined;
    };
    response: {
      readonly items: readonly {
        readonly id: string;
        readonly username: string;
        readonly fullName: string;
        readonly email: string;
        /** Names of the roles held. */
        readonly roles: readonly string[];
        /** Names of the databases in scope; `*` alone means all. */
        readonly databases: readonly string[];
        /** When the account ends; null: never. */
        readonly expiresAt: string | null;
        readonly disabled: boolean;
        /** Signs in at the company: has no password here, and gets name, roles and databases anew at each sign-in. */
        readonly external: boolean;
        /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
        readonly createdAt: string;
        /** Grows with every change; also the ETag, for If-Match. */
        readonly version: number;
      }[];
      /** Send it as `cursor` for the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Create a user, who without a role and a database sees nothing */
  'POST /api/v1/users': {
    body: {
      /** 1 to 100 characters, no colon; unique, whatever the case. */
      readonly username: string;
      /** At least 12 characters, without the user name. Never shown. */
      readonly password: string;
      /** At most 200 characters. */
      readonly fullName?: string | undefined;
      readonly email?: string | undefined;
      /** Names of roles. None: the user may do nothing. */
      readonly roles?: readonly string[] | undefined;
      /** Names of databases, or `["*"]` for all. None: the user sees no data. */
      readonly databases?: readonly string[] | undefined;
      /** ISO 8601 time, or a date for the end of that day (UTC); null: never. In the past: the account ends at once. */
      readonly expiresAt?: string | null | undefined;
      readonly disabled?: boolean | undefined;
    };
    response: {
      readonly id: string;
      readonly username: string;
      readonly fullName: string;
      readonly email: string;
      /** Names of the roles held. */
      readonly roles: readonly string[];
      /** Names of the databases in scope; `*` alone means all. */
      readonly databases: readonly string[];
      /** When the account ends; null: never. */
      readonly expiresAt: string | null;
      readonly disabled: boolean;
      /** Signs in at the company: has no password here, and gets name, roles and databases anew at each sign-in. */
      readonly external: boolean;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly createdAt: string;
      /** Grows with every change; also the ETag, for If-Match. */
      readonly version: number;
    };
  };
  /** One user */
  'GET /api/v1/users/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: {
      readonly id: string;
      readonly username: string;
      readonly fullName: string;
      readonly email: string;
      /** Names of the roles held. */
      readonly roles: readonly string[];
      /** Names of the databases in scope; `*` alone means all. */
      readonly databases: readonly string[];
      /** When the account ends; null: never. */
      readonly expiresAt: string | null;
      readonly disabled: boolean;
      /** Signs in at the company: has no password here, and gets name, roles and databases anew at each sign-in. */
      readonly external: boolean;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly createdAt: string;
      /** Grows with every change; also the ETag, for If-Match. */
      readonly version: number;
    };
  };
  /** Replace a user; a password left out stays */
  'PUT /api/v1/users/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    body: {
      /** 1 to 100 characters, no colon; unique, whatever the case. */
      readonly username: string;
      /** At least 12 characters, without the user name. Never shown. */
      readonly password?: string | undefined;
      /** At most 200 characters. */
      readonly fullName?: string | undefined;
      readonly email?: string | undefined;
      /** Names of roles. None: the user may do nothing. */
      readonly roles?: readonly string[] | undefined;
      /** Names of databases, or `["*"]` for all. None: the user sees no data. */
      readonly databases?: readonly string[] | undefined;
      /** ISO 8601 time, or a date for the end of that day (UTC); null: never. In the past: the account ends at once. */
      readonly expiresAt?: string | null | undefined;
      readonly disabled?: boolean | undefined;
    };
    response: {
      readonly id: string;
      readonly username: string;
      readonly fullName: string;
      readonly email: string;
      /** Names of the roles held. */
      readonly roles: readonly string[];
      /** Names of the databases in scope; `*` alone means all. */
      readonly databases: readonly string[];
      /** When the account ends; null: never. */
      readonly expiresAt: string | null;
      readonly disabled: boolean;
      /** Signs in at the company: has no password here, and gets name, roles and databases anew at each sign-in. */
      readonly external: boolean;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly createdAt: string;
      /** Grows with every change; also the ETag, for If-Match. */
      readonly version: number;
    };
  };
  /** Change the fields given */
  'PATCH /api/v1/users/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    body: {
      /** 1 to 100 characters, no colon; unique, whatever the case. */
      readonly username?: string | undefined;
      /** At least 12 characters, without the user name. Never shown. */
      readonly password?: string | undefined;
      /** At most 200 characters. */
      readonly fullName?: string | undefined;
      readonly email?: string | undefined;
      /** Names of roles. None: the user may do nothing. */
      readonly roles?: readonly string[] | undefined;
      /** Names of databases, or `["*"]` for all. None: the user sees no data. */
      readonly databases?: readonly string[] | undefined;
      /** ISO 8601 time, or a date for the end of that day (UTC); null: never. In the past: the account ends at once. */
      readonly expiresAt?: string | null | undefined;
      readonly disabled?: boolean | undefined;
    };
    response: {
      readonly id: string;
      readonly username: string;
      readonly fullName: string;
      readonly email: string;
      /** Names of the roles held. */
      readonly roles: readonly string[];
      /** Names of the databases in scope; `*` alone means all. */
      readonly databases: readonly string[];
      /** When the account ends; null: never. */
      readonly expiresAt: string | null;
      readonly disabled: boolean;
      /** Signs in at the company: has no password here, and gets name, roles and databases anew at each sign-in. */
      readonly external: boolean;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly createdAt: string;
      /** Grows with every change; also the ETag, for If-Match. */
      readonly version: number;
    };
  };
  /** Delete a user with their keys and sessions */
  'DELETE /api/v1/users/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: null;
  };
  /** All roles, by name, for those who manage users or write queries */
  'GET /api/v1/roles': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the page before. */
      readonly cursor?: string | undefined;
      /** Part of the name, in any case. */
      readonly search?: string | undefined;
    };
    response: {
      readonly items: readonly {
        readonly id: string;
        readonly name: string;
        /** Only shown to those who manage users. */
        readonly permissions?: readonly ('queries.run' | 'queries.author' | 'queries.publish' | 'queries.epilogue' | 'embeds.create' | 'databases.manage' | 'users.manage' | 'audit.view' | 'settings.manage')[];
        /** Grows with every change; also the ETag, for If-Match. Only shown to those who manage users. */
        readonly version?: number;
        /** True for Administrator, which can be neither changed nor deleted. Only shown to those who manage users. */
        readonly builtIn?: boolean;
      }[];
      /** Send it as `cursor` for the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Create a role */
  'POST /api/v1/roles': {
    body: {
      /** 1 to 100 characters; unique, whatever the case. */
      readonly name: string;
      /** What its holders may do. Nobody can give a permission that they lack. */
      readonly permissions: readonly ('queries.run' | 'queries.author' | 'queries.publish' | 'queries.epilogue' | 'embeds.create' | 'databases.manage' | 'users.manage' | 'audit.view' | 'settings.manage')[];
    };
    response: {
      readonly id: string;
      readonly name: string;
      /** Only shown to those who manage users. */
      readonly permissions?: readonly ('queries.run' | 'queries.author' | 'queries.publish' | 'queries.epilogue' | 'embeds.create' | 'databases.manage' | 'users.manage' | 'audit.view' | 'settings.manage')[];
      /** Grows with every change; also the ETag, for If-Match. Only shown to those who manage users. */
      readonly version?: number;
      /** True for Administrator, which can be neither changed nor deleted. Only shown to those who manage users. */
      readonly builtIn?: boolean;
    };
  };
  /** One role, for those who manage users or write queries */
  'GET /api/v1/roles/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: {
      readonly id: string;
      readonly name: string;
      /** Only shown to those who manage users. */
      readonly permissions?: readonly ('queries.run' | 'queries.author' | 'queries.publish' | 'queries.epilogue' | 'embeds.create' | 'databases.manage' | 'users.manage' | 'audit.view' | 'settings.manage')[];
      /** Grows with every change; also the ETag, for If-Match. Only shown to those who manage users. */
      readonly version?: number;
      /** True for Administrator, which can be neither changed nor deleted. Only shown to those who manage users. */
      readonly builtIn?: boolean;
    };
  };
  /** Replace a role; it counts for its holders at once */
  'PUT /api/v1/roles/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    body: {
      /** 1 to 100 characters; unique, whatever the case. */
      readonly name: string;
      /** What its holders may do. Nobody can give a permission that they lack. */
      readonly permissions: readonly ('queries.run' | 'queries.author' | 'queries.publish' | 'queries.epilogue' | 'embeds.create' | 'databases.manage' | 'users.manage' | 'audit.view' | 'settings.manage')[];
    };
    response: {
      readonly id: string;
      readonly name: string;
      /** Only shown to those who manage users. */
      readonly permissions?: readonly ('queries.run' | 'queries.author' | 'queries.publish' | 'queries.epilogue' | 'embeds.create' | 'databases.manage' | 'users.manage' | 'audit.view' | 'settings.manage')[];
      /** Grows with every change; also the ETag, for If-Match. Only shown to those who manage users. */
      readonly version?: number;
      /** True for Administrator, which can be neither changed nor deleted. Only shown to those who manage users. */
      readonly builtIn?: boolean;
    };
  };
  /** Change the fields given; it counts for its holders at once */
  'PATCH /api/v1/roles/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    body: {
      /** 1 to 100 characters; unique, whatever the case. */
      readonly name?: string | undefined;
      /** What its holders may do. Nobody can give a permission that they lack. */
      readonly permissions?: readonly ('queries.run' | 'queries.author' | 'queries.publish' | 'queries.epilogue' | 'embeds.create' | 'databases.manage' | 'users.manage' | 'audit.view' | 'settings.manage')[] | undefined;
    };
    response: {
      readonly id: string;
      readonly name: string;
      /** Only shown to those who manage users. */
      readonly permissions?: readonly ('queries.run' | 'queries.author' | 'queries.publish' | 'queries.epilogue' | 'embeds.create' | 'databases.manage' | 'users.manage' | 'audit.view' | 'settings.manage')[];
      /** Grows with every change; also the ETag, for If-Match. Only shown to those who manage users. */
      readonly version?: number;
      /** True for Administrator, which can be neither changed nor deleted. Only shown to those who manage users. */
      readonly builtIn?: boolean;
    };
  };
  /** Delete a role that nobody holds and no query names */
  'DELETE /api/v1/roles/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: null;
  };
  /** The databases that I manage or have in scope, by name */
  'GET /api/v1/databases': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the page before. */
      readonly cursor?: string | undefined;
      /** Part of the name, in any case. */
      readonly search?: string | undefined;
    };
    response: {
      readonly items: readonly {
        readonly id: string;
        readonly name: string;
        readonly kind: string;
        readonly description: string;
        /** For If-Match; also the ETag. */
        readonly version: number;
        /** Without secrets. Only shown to those who manage databases. */
        readonly connection?: Readonly<Record<string, unknown>>;
        /** Only shown to those who manage databases. */
        readonly settings?: Readonly<Record<string, unknown>>;
        /** Only shown to those who manage databases. */
        readonly disabled?: boolean;
        /** Only shown to those who manage databases. */
        readonly writable?: boolean;
        /** The demo database. Only shown to those who manage databases. */
        readonly builtIn?: boolean;
        /** Only shown to those who manage databases. */
        readonly createdAt?: string;
      }[];
      /** Send it as `cursor` for the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Add a database; does not connect to it */
  'POST /api/v1/databases': {
    body: {
      /** 1 to 100 characters, unique whatever the case. A part of the technical names of its queries. */
      readonly name: string;
      /** `duckdb`, `sqlite`, `postgres`, `mysql`, `sqlserver`, `clickhouse` or `trino`. Cannot be changed. */
      readonly kind: string;
      /** `{host, port, user, password, database, tls?}`, or `{file}` for DuckDB and SQLite. Secrets go in and never come out. */
      readonly connection: Readonly<Record<string, unknown>>;
      /** What this engine lets one set. */
      readonly settings?: Readonly<Record<string, unknown>> | undefined;
      /** For those who choose a database. */
      readonly description?: string | undefined;
      /** Its queries are refused. */
      readonly disabled?: boolean | undefined;
      /** An Epilogue may write to it. */
      readonly writable?: boolean | undefined;
    };
    response: {
      readonly id: string;
      readonly name: string;
      readonly kind: string;
      readonly description: string;
      /** For If-Match; also the ETag. */
      readonly version: number;
      /** Without secrets. Only shown to those who manage databases. */
      readonly connection?: Readonly<Record<string, unknown>>;
      /** Only shown to those who manage databases. */
      readonly settings?: Readonly<Record<string, unknown>>;
      /** Only shown to those who manage databases. */
      readonly disabled?: boolean;
      /** Only shown to those who manage databases. */
      readonly writable?: boolean;
      /** The demo database. Only shown to those who manage databases. */
      readonly builtIn?: boolean;
      /** Only shown to those who manage databases. */
      readonly createdAt?: string;
    };
  };
  /** A database */
  'GET /api/v1/databases/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: {
      readonly id: string;
      readonly name: string;
      readonly kind: string;
      readonly description: string;
      /** For If-Match; also the ETag. */
      readonly version: number;
      /** Without secrets. Only shown to those who manage databases. */
      readonly connection?: Readonly<Record<string, unknown>>;
      /** Only shown to those who manage databases. */
      readonly settings?: Readonly<Record<string, unknown>>;
      /** Only shown to those who manage databases. */
      readonly disabled?: boolean;
      /** Only shown to those who manage databases. */
      readonly writable?: boolean;
      /** The demo database. Only shown to those who manage databases. */
      readonly builtIn?: boolean;
      /** Only shown to those who manage databases. */
      readonly createdAt?: string;
    };
  };
  /** Replace a database */
  'PUT /api/v1/databases/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    body: {
      /** 1 to 100 characters, unique whatever the case. A part of the technical names of its queries. */
      readonly name: string;
      /** `duckdb`, `sqlite`, `postgres`, `mysql`, `sqlserver`, `clickhouse` or `trino`. Cannot be changed. */
      readonly kind?: string | undefined;
      /** As a whole. A secret that is left out stays, unless another field of the connection changed: then send it again. */
      readonly connection: Readonly<Record<string, unknown>>;
      /** What this engine lets one set. */
      readonly settings?: Readonly<Record<string, unknown>> | undefined;
      /** For those who choose a database. */
      readonly description?: string | undefined;
      /** Its queries are refused. */
      readonly disabled?: boolean | undefined;
      /** An Epilogue may write to it. */
      readonly writable?: boolean | undefined;
    };
    response: {
      readonly id: string;
      readonly name: string;
      readonly kind: string;
      readonly description: string;
      /** For If-Match; also the ETag. */
      readonly version: number;
      /** Without secrets. Only shown to those who manage databases. */
      readonly connection?: Readonly<Record<string, unknown>>;
      /** Only shown to those who manage databases. */
      readonly settings?: Readonly<Record<string, unknown>>;
      /** Only shown to those who manage databases. */
      readonly disabled?: boolean;
      /** Only shown to those who manage databases. */
      readonly writable?: boolean;
      /** The demo database. Only shown to those who manage databases. */
      readonly builtIn?: boolean;
      /** Only shown to those who manage databases. */
      readonly createdAt?: string;
    };
  };
  /** Change the given fields of a database */
  'PATCH /api/v1/databases/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    body: {
      /** 1 to 100 characters, unique whatever the case. A part of the technical names of its queries. */
      readonly name?: string | undefined;
      /** `duckdb`, `sqlite`, `postgres`, `mysql`, `sqlserver`, `clickhouse` or `trino`. Cannot be changed. */
      readonly kind?: string | undefined;
      /** The fields to change; null takes one away. If any but a secret changes, send the secret too. */
      readonly connection?: Readonly<Record<string, unknown>> | undefined;
      /** As a whole; null: none. */
      readonly settings?: Readonly<Record<string, unknown>> | null | undefined;
      readonly description?: string | null | undefined;
      readonly disabled?: boolean | null | undefined;
      readonly writable?: boolean | null | undefined;
    };
    response: {
      readonly id: string;
      readonly name: string;
      readonly kind: string;
      readonly description: string;
      /** For If-Match; also the ETag. */
      readonly version: number;
      /** Without secrets. Only shown to those who manage databases. */
      readonly connection?: Readonly<Record<string, unknown>>;
      /** Only shown to those who manage databases. */
      readonly settings?: Readonly<Record<string, unknown>>;
      /** Only shown to those who manage databases. */
      readonly disabled?: boolean;
      /** Only shown to those who manage databases. */
      readonly writable?: boolean;
      /** The demo database. Only shown to those who manage databases. */
      readonly builtIn?: boolean;
      /** Only shown to those who manage databases. */
      readonly createdAt?: string;
    };
  };
  /** Remove a database that no Active query uses */
  'DELETE /api/v1/databases/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: null;
  };
  /** Its tables and columns, for those who write queries */
  'GET /api/v1/databases/{id}/schema': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    query: {
      /** Part of the name of a table or column, in any case. */
      readonly search?: string | undefined;
    };
    response: {
      readonly tables: readonly {
        readonly schema: string;
        readonly name: string;
        readonly type: 'table' | 'view';
        readonly comment?: string;
        readonly columns: readonly {
          readonly name: string;
          /** As the database spells it. */
          readonly type: string;
          readonly nullable: boolean;
          readonly comment?: string;
        }[];
      }[];
      /** There are more tables than are shown. */
      readonly truncated: boolean;
    };
  };
  /** Try a connection that is not saved */
  'POST /api/v1/databases/test': {
    body: {
      /** A stored database whose secrets are used where the connection is otherwise unchanged. */
      readonly id?: string | undefined;
      /** 1 to 100 characters, unique whatever the case. A part of the technical names of its queries. */
      readonly name?: string | undefined;
      /** `duckdb`, `sqlite`, `postgres`, `mysql`, `sqlserver`, `clickhouse` or `trino`. Cannot be changed. */
      readonly kind: string;
      /** `{host, port, user, password, database, tls?}`, or `{file}` for DuckDB and SQLite. Secrets go in and never come out. */
      readonly connection: Readonly<Record<string, unknown>>;
      /** What this engine lets one set. */
      readonly settings?: Readonly<Record<string, unknown>> | undefined;
      /** An Epilogue may write to it. */
      readonly writable?: boolean | undefined;
    };
    response: {
      readonly ok: boolean;
      /** Warnings, or why it could not be reached. */
      readonly message?: string;
    };
  };
  /** Try a saved connection */
  'POST /api/v1/databases/{id}/test': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: {
      readonly ok: boolean;
      /** Warnings, or why it could not be reached. */
      readonly message?: string;
    };
  };
  /** The queries that I may see, by name */
  'GET /api/v1/queries': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the page before. */
      readonly cursor?: string | undefined;
      /** Part of the name, technical name, description or a tag, in any case. */
      readonly search?: string | undefined;
      readonly status?: 'Draft' | 'Validated' | 'Active' | 'Inactive' | 'Void' | undefined;
      /** Name of the database. */
      readonly database?: string | undefined;
      readonly tag?: string | undefined;
    };
    response: {
      readonly items: readonly {
        readonly id: string;
        /** Technical name; fixed from the first activation on. */
        readonly queryName: string;
        /** Display name. */
        readonly name: string;
        readonly description: string;
        readonly tip: string;
        /** Name of the database. */
        readonly database: string;
        readonly sql: string;
        readonly epilogue: string | null;
        readonly parameters: readonly {
          readonly name: string;
          readonly dataType: string;
          readonly required: boolean;
          readonly default?: string;
          readonly description?: string;
          readonly values?: readonly string[];
          readonly masked?: boolean;
        }[];
        readonly columns: readonly {
          readonly name: string;
          readonly displayName?: string;
          readonly type?: 'categorical' | 'numeric';
        }[];
        /** Names of the roles that may run it; none: every role. */
        readonly roles: readonly string[];
        readonly timeoutSeconds: number | null;
        readonly maxRows: number | null;
        readonly cacheSeconds: number | null;
        readonly aiAccess: boolean;
        readonly tags: readonly string[];
        /** Found by validation; null before it. */
        readonly resultColumns: readonly {
          /** As the database names it. */
          readonly name: string;
          /** What readers see. */
          readonly label: string;
          /** As the database spells it. */
          readonly type: string;
          readonly kind: string;
          readonly class: 'categorical' | 'numeric';
        }[] | null;
        readonly status: 'Draft' | 'Validated' | 'Active' | 'Inactive' | 'Void';
        /** Number of the version that is shown; also the ETag. */
        readonly version: number;
        /** A version beside the Active one that waits for its activation. Edits then name its number in If-Match. */
        readonly draft: {
          readonly version: number;
          readonly status: 'Draft' | 'Validated';
        } | null;
        readonly createdBy: string;
        /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
        readonly createdAt: string;
        readonly updatedBy: string;
        /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
        readonly updatedAt: string;
        /** Whether you may run the Active version. */
        readonly canRun: boolean;
        /** Whether you may change the query or restore one of its versions. */
        readonly canEdit: boolean;
        readonly canValidate: boolean;
        readonly canActivate: boolean;
        readonly canDeactivate: boolean;
        readonly canVoid: boolean;
        /** Whether you may restore the query, which is Void, as a Draft. */
        readonly canRestore: boolean;
        readonly canDiscardDraft: boolean;
      }[];
      /** Send it as `cursor` for the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Write a query; it begins as a Draft */
  'POST /api/v1/queries': {
    body: {
      /** Display name, 1 to 200 characters. The technical name is made from it. */
      readonly name: string;
      /** Name of the database. */
      readonly database: string;
      /** One statement; names parameters `@Name` on every engine. */
      readonly sql: string;
      /** What it delivers. */
      readonly description?: string | null | undefined;
      /** How to use it. */
      readonly tip?: string | null | undefined;
      /** SQL that writes, run after the statement in the same transaction. Needs `queries.epilogue`. */
      readonly epilogue?: string | null | undefined;
      readonly parameters?: readonly {
        /** `@Region`: as the SQL names it. */
        readonly name: string;
        /** As SQL Server, PostgreSQL, MySQL or DuckDB spell it: `nvarchar(50)`, `decimal(12,2)`. */
        readonly dataType: string;
        readonly required?: boolean | undefined;
        /** What an optional one is when it is left out. */
        readonly default?: string | null | undefined;
        readonly description?: string | null | undefined;
        /** The choices that a form offers. */
        readonly values?: readonly string[] | null | undefined;
        /** The audit trail shows *** for its values. */
        readonly masked?: boolean | null | undefined;
      }[] | null | undefined;
      /** What readers see of the columns. */
      readonly columns?: readonly {
        /** As the database names it. */
        readonly name: string;
        /** What readers see instead. */
        readonly displayName?: string | null | undefined;
        /** For charts; left out: by its type in the database. */
        readonly type?: 'categorical' | 'numeric' | null | undefined;
      }[] | null | undefined;
      /** Names of the roles that may run it; none: every role. Left out of a change: as they are. */
      readonly roles?: readonly string[] | null | undefined;
      /** How long it may run; null: as the settings say. */
      readonly timeoutSeconds?: number | null | undefined;
      /** How many rows it may deliver; null: as the settings say. */
      readonly maxRows?: number | null | undefined;
      /** How long a result may be given again; null: not at all. */
      readonly cacheSeconds?: number | null | undefined;
      /** Whether the AI gateway offers it; left out: as it is, of a new query yes, unless it has an Epilogue. */
      readonly aiAccess?: boolean | undefined;
      /** Words to find it by. */
      readonly tags?: readonly string[] | null | undefined;
    };
    response: {
      readonly id: string;
      /** Technical name; fixed from the first activation on. */
      readonly queryName: string;
      /** Display name. */
      readonly name: string;
      readonly description: string;
      readonly tip: string;
      /** Name of the database. */
      readonly database: string;
      readonly sql: string;
      readonly epilogue: string | null;
      readonly parameters: readonly {
        readonly name: string;
        readonly dataType: string;
        readonly required: boolean;
        readonly default?: string;
        readonly description?: string;
        readonly values?: readonly string[];
        readonly masked?: boolean;
      }[];
      readonly columns: readonly {
        readonly name: string;
        readonly displayName?: string;
        readonly type?: 'categorical' | 'numeric';
      }[];
      /** Names of the roles that may run it; none: every role. */
      readonly roles: readonly string[];
      readonly timeoutSeconds: number | null;
      readonly maxRows: number | null;
      readonly cacheSeconds: number | null;
      readonly aiAccess: boolean;
      readonly tags: readonly string[];
      /** Found by validation; null before it. */
      readonly resultColumns: readonly {
        /** As the database names it. */
        readonly name: string;
        /** What readers see. */
        readonly label: string;
        /** As the database spells it. */
        readonly type: string;
        readonly kind: string;
        readonly class: 'categorical' | 'numeric';
      }[] | null;
      readonly status: 'Draft' | 'Validated' | 'Active' | 'Inactive' | 'Void';
      /** Number of the version that is shown; also the ETag. */
      readonly version: number;
      /** A version beside the Active one that waits for its activation. Edits then name its number in If-Match. */
      readonly draft: {
        readonly version: number;
        readonly status: 'Draft' | 'Validated';
      } | null;
      readonly createdBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly createdAt: string;
      readonly updatedBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly updatedAt: string;
      /** Whether you may run the Active version. */
      readonly canRun: boolean;
      /** Whether you may change the query or restore one of its versions. */
      readonly canEdit: boolean;
      readonly canValidate: boolean;
      readonly canActivate: boolean;
      readonly canDeactivate: boolean;
      readonly canVoid: boolean;
      /** Whether you may restore the query, which is Void, as a Draft. */
      readonly canRestore: boolean;
      readonly canDiscardDraft: boolean;
    };
  };
  /** A query */
  'GET /api/v1/queries/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    query: {
      /** `draft`, or the number of a version; left out: what callers see. */
      readonly version?: 'draft' | undefined;
    };
    response: {
      readonly id: string;
      /** Technical name; fixed from the first activation on. */
      readonly queryName: string;
      /** Display name. */
      readonly name: string;
      readonly description: string;
      readonly tip: string;
      /** Name of the database. */
      readonly database: string;
      readonly sql: string;
      readonly epilogue: string | null;
      readonly parameters: readonly {
        readonly name: string;
        readonly dataType: string;
        readonly required: boolean;
        readonly default?: string;
        readonly description?: string;
        readonly values?: readonly string[];
        readonly masked?: boolean;
      }[];
      readonly columns: readonly {
        readonly name: string;
        readonly displayName?: string;
        readonly type?: 'categorical' | 'numeric';
      }[];
      /** Names of the roles that may run it; none: every role. */
      readonly roles: readonly string[];
      readonly timeoutSeconds: number | null;
      readonly maxRows: number | null;
      readonly cacheSeconds: number | null;
      readonly aiAccess: boolean;
      readonly tags: readonly string[];
      /** Found by validation; null before it. */
      readonly resultColumns: readonly {
        /** As the database names it. */
        readonly name: string;
        /** What readers see. */
        readonly label: string;
        /** As the database spells it. */
        readonly type: string;
        readonly kind: string;
        readonly class: 'categorical' | 'numeric';
      }[] | null;
      readonly status: 'Draft' | 'Validated' | 'Active' | 'Inactive' | 'Void';
      /** Number of the version that is shown; also the ETag. */
      readonly version: number;
      /** A version beside the Active one that waits for its activation. Edits then name its number in If-Match. */
      readonly draft: {
        readonly version: number;
        readonly status: 'Draft' | 'Validated';
      } | null;
      readonly createdBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly createdAt: string;
      readonly updatedBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly updatedAt: string;
      /** Whether you may run the Active version. */
      readonly canRun: boolean;
      /** Whether you may change the query or restore one of its versions. */
      readonly canEdit: boolean;
      readonly canValidate: boolean;
      readonly canActivate: boolean;
      readonly canDeactivate: boolean;
      readonly canVoid: boolean;
      /** Whether you may restore the query, which is Void, as a Draft. */
      readonly canRestore: boolean;
      readonly canDiscardDraft: boolean;
    };
  };
  /** Replace a query; an Active one gets a draft beside it */
  'PUT /api/v1/queries/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    body: {
      /** Display name, 1 to 200 characters. The technical name is made from it. */
      readonly name: string;
      /** Name of the database. */
      readonly database: string;
      /** One statement; names parameters `@Name` on every engine. */
      readonly sql: string;
      /** What it delivers. */
      readonly description?: string | null | undefined;
      /** How to use it. */
      readonly tip?: string | null | undefined;
      /** SQL that writes, run after the statement in the same transaction. Needs `queries.epilogue`. */
      readonly epilogue?: string | null | undefined;
      readonly parameters?: readonly {
        /** `@Region`: as the SQL names it. */
        readonly name: string;
        /** As SQL Server, PostgreSQL, MySQL or DuckDB spell it: `nvarchar(50)`, `decimal(12,2)`. */
        readonly dataType: string;
        readonly required?: boolean | undefined;
        /** What an optional one is when it is left out. */
        readonly default?: string | null | undefined;
        readonly description?: string | null | undefined;
        /** The choices that a form offers. */
        readonly values?: readonly string[] | null | undefined;
        /** The audit trail shows *** for its values. */
        readonly masked?: boolean | null | undefined;
      }[] | null | undefined;
      /** What readers see of the columns. */
      readonly columns?: readonly {
        /** As the database names it. */
        readonly name: string;
        /** What readers see instead. */
        readonly displayName?: string | null | undefined;
        /** For charts; left out: by its type in the database. */
        readonly type?: 'categorical' | 'numeric' | null | undefined;
      }[] | null | undefined;
      /** Names of the roles that may run it; none: every role. Left out of a change: as they are. */
      readonly roles?: readonly string[] | null | undefined;
      /** How long it may run; null: as the settings say. */
      readonly timeoutSeconds?: number | null | undefined;
      /** How many rows it may deliver; null: as the settings say. */
      readonly maxRows?: number | null | undefined;
      /** How long a result may be given again; null: not at all. */
      readonly cacheSeconds?: number | null | undefined;
      /** Whether the AI gateway offers it; left out: as it is, of a new query yes, unless it has an Epilogue. */
      readonly aiAccess?: boolean | undefined;
      /** Words to find it by. */
      readonly tags?: readonly string[] | null | undefined;
    };
    response: {
      readonly id: string;
      /** Technical name; fixed from the first activation on. */
      readonly queryName: string;
      /** Display name. */
      readonly name: string;
      readonly description: string;
      readonly tip: string;
      /** Name of the database. */
      readonly database: string;
      readonly sql: string;
      readonly epilogue: string | null;
      readonly parameters: readonly {
        readonly name: string;
        readonly dataType: string;
        readonly required: boolean;
        readonly default?: string;
        readonly description?: string;
        readonly values?: readonly string[];
        readonly masked?: boolean;
      }[];
      readonly columns: readonly {
        readonly name: string;
        readonly displayName?: string;
        readonly type?: 'categorical' | 'numeric';
      }[];
      /** Names of the roles that may run it; none: every role. */
      readonly roles: readonly string[];
      readonly timeoutSeconds: number | null;
      readonly maxRows: number | null;
      readonly cacheSeconds: number | null;
      readonly aiAccess: boolean;
      readonly tags: readonly string[];
      /** Found by validation; null before it. */
      readonly resultColumns: readonly {
        /** As the database names it. */
        readonly name: string;
        /** What readers see. */
        readonly label: string;
        /** As the database spells it. */
        readonly type: string;
        readonly kind: string;
        readonly class: 'categorical' | 'numeric';
      }[] | null;
      readonly status: 'Draft' | 'Validated' | 'Active' | 'Inactive' | 'Void';
      /** Number of the version that is shown; also the ETag. */
      readonly version: number;
      /** A version beside the Active one that waits for its activation. Edits then name its number in If-Match. */
      readonly draft: {
        readonly version: number;
        readonly status: 'Draft' | 'Validated';
      } | null;
      readonly createdBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly createdAt: string;
      readonly updatedBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly updatedAt: string;
      /** Whether you may run the Active version. */
      readonly canRun: boolean;
      /** Whether you may change the query or restore one of its versions. */
      readonly canEdit: boolean;
      readonly canValidate: boolean;
      readonly canActivate: boolean;
      readonly canDeactivate: boolean;
      readonly canVoid: boolean;
      /** Whether you may restore the query, which is Void, as a Draft. */
      readonly canRestore: boolean;
      readonly canDiscardDraft: boolean;
    };
  };
  /** Change the given fields of a query; null clears an optional one */
  'PATCH /api/v1/queries/{id}': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    body: {
      /** Display name, 1 to 200 characters. The technical name is made from it. */
      readonly name?: string | undefined;
      /** Name of the database. */
      readonly database?: string | undefined;
      /** One statement; names parameters `@Name` on every engine. */
      readonly sql?: string | undefined;
      /** What it delivers. */
      readonly description?: string | null | undefined;
      /** How to use it. */
      readonly tip?: string | null | undefined;
      /** SQL that writes, run after the statement in the same transaction. Needs `queries.epilogue`. */
      readonly epilogue?: string | null | undefined;
      readonly parameters?: readonly {
        /** `@Region`: as the SQL names it. */
        readonly name: string;
        /** As SQL Server, PostgreSQL, MySQL or DuckDB spell it: `nvarchar(50)`, `decimal(12,2)`. */
        readonly dataType: string;
        readonly required?: boolean | undefined;
        /** What an optional one is when it is left out. */
        readonly default?: string | null | undefined;
        readonly description?: string | null | undefined;
        /** The choices that a form offers. */
        readonly values?: readonly string[] | null | undefined;
        /** The audit trail shows *** for its values. */
        readonly masked?: boolean | null | undefined;
      }[] | null | undefined;
      /** What readers see of the columns. */
      readonly columns?: readonly {
        /** As the database names it. */
        readonly name: string;
        /** What readers see instead. */
        readonly displayName?: string | null | undefined;
        /** For charts; left out: by its type in the database. */
        readonly type?: 'categorical' | 'numeric' | null | undefined;
      }[] | null | undefined;
      /** Names of the roles that may run it; none: every role. Left out of a change: as they are. */
      readonly roles?: readonly string[] | null | undefined;
      /** How long it may run; null: as the settings say. */
      readonly timeoutSeconds?: number | null | undefined;
      /** How many rows it may deliver; null: as the settings say. */
      readonly maxRows?: number | null | undefined;
      /** How long a result may be given again; null: not at all. */
      readonly cacheSeconds?: number | null | undefined;
      /** Whether the AI gateway offers it; left out: as it is, of a new query yes, unless it has an Epilogue. */
      readonly aiAccess?: boolean | undefined;
      /** Words to find it by. */
      readonly tags?: readonly string[] | null | undefined;
    };
    response: {
      readonly id: string;
      /** Technical name; fixed from the first activation on. */
      readonly queryName: string;
      /** Display name. */
      readonly name: string;
      readonly description: string;
      readonly tip: string;
      /** Name of the database. */
      readonly database: string;
      readonly sql: string;
      readonly epilogue: string | null;
      readonly parameters: readonly {
        readonly name: string;
        readonly dataType: string;
        readonly required: boolean;
        readonly default?: string;
        readonly description?: string;
        readonly values?: readonly string[];
        readonly masked?: boolean;
      }[];
      readonly columns: readonly {
        readonly name: string;
        readonly displayName?: string;
        readonly type?: 'categorical' | 'numeric';
      }[];
      /** Names of the roles that may run it; none: every role. */
      readonly roles: readonly string[];
      readonly timeoutSeconds: number | null;
      readonly maxRows: number | null;
      readonly cacheSeconds: number | null;
      readonly aiAccess: boolean;
      readonly tags: readonly string[];
      /** Found by validation; null before it. */
      readonly resultColumns: readonly {
        /** As the database names it. */
        readonly name: string;
        /** What readers see. */
        readonly label: string;
        /** As the database spells it. */
        readonly type: string;
        readonly kind: string;
        readonly class: 'categorical' | 'numeric';
      }[] | null;
      readonly status: 'Draft' | 'Validated' | 'Active' | 'Inactive' | 'Void';
      /** Number of the version that is shown; also the ETag. */
      readonly version: number;
      /** A version beside the Active one that waits for its activation. Edits then name its number in If-Match. */
      readonly draft: {
        readonly version: number;
        readonly status: 'Draft' | 'Validated';
      } | null;
      readonly createdBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly createdAt: string;
      readonly updatedBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly updatedAt: string;
      /** Whether you may run the Active version. */
      readonly canRun: boolean;
      /** Whether you may change the query or restore one of its versions. */
      readonly canEdit: boolean;
      readonly canValidate: boolean;
      readonly canActivate: boolean;
      readonly canDeactivate: boolean;
      readonly canVoid: boolean;
      /** Whether you may restore the query, which is Void, as a Draft. */
      readonly canRestore: boolean;
      readonly canDiscardDraft: boolean;
    };
  };
  /** Run SQL that is not saved, read-only, and see its first 100 rows */
  'POST /api/v1/queries/preview': {
    body: {
      /** Name of the database. */
      readonly database: string;
      /** One statement; names parameters `@Name` on every engine. */
      readonly sql: string;
      readonly parameters?: readonly {
        /** `@Region`: as the SQL names it. */
        readonly name: string;
        /** As SQL Server, PostgreSQL, MySQL or DuckDB spell it: `nvarchar(50)`, `decimal(12,2)`. */
        readonly dataType: string;
        readonly required?: boolean | undefined;
        /** What an optional one is when it is left out. */
        readonly default?: string | null | undefined;
        readonly description?: string | null | undefined;
        /** The choices that a form offers. */
        readonly values?: readonly string[] | null | undefined;
        /** The audit trail shows *** for its values. */
        readonly masked?: boolean | null | undefined;
      }[] | null | undefined;
      /** `[{parameterName, value, dataType?}]` or `{"@Name": value}`. */
      readonly values?: readonly {
        readonly parameterName: string;
        readonly value?: string | number | boolean | null | undefined;
        readonly dataType?: string | undefined;
      }[] | Readonly<Record<string, string | number | boolean | null>> | null | undefined;
    };
    response: {
      /** The first 100 rows. */
      readonly data: readonly Readonly<Record<string, unknown>>[];
      readonly columns: readonly {
        readonly name: string;
        readonly type: 'categorical' | 'numeric';
      }[];
    };
  };
  /** Prepare the SQL on its database, find its columns, compare placeholders and parameters */
  'POST /api/v1/queries/{id}/validate': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: {
      readonly id: string;
      /** Technical name; fixed from the first activation on. */
      readonly queryName: string;
      /** Display name. */
      readonly name: string;
      readonly description: string;
      readonly tip: string;
      /** Name of the database. */
      readonly database: string;
      readonly sql: string;
      readonly epilogue: string | null;
      readonly parameters: readonly {
        readonly name: string;
        readonly dataType: string;
        readonly required: boolean;
        readonly default?: string;
        readonly description?: string;
        readonly values?: readonly string[];
        readonly masked?: boolean;
      }[];
      readonly columns: readonly {
        readonly name: string;
        readonly displayName?: string;
        readonly type?: 'categorical' | 'numeric';
      }[];
      /** Names of the roles that may run it; none: every role. */
      readonly roles: readonly string[];
      readonly timeoutSeconds: number | null;
      readonly maxRows: number | null;
      readonly cacheSeconds: number | null;
      readonly aiAccess: boolean;
      readonly tags: readonly string[];
      /** Found by validation; null before it. */
      readonly resultColumns: readonly {
        /** As the database names it. */
        readonly name: string;
        /** What readers see. */
        readonly label: string;
        /** As the database spells it. */
        readonly type: string;
        readonly kind: string;
        readonly class: 'categorical' | 'numeric';
      }[] | null;
      readonly status: 'Draft' | 'Validated' | 'Active' | 'Inactive' | 'Void';
      /** Number of the version that is shown; also the ETag. */
      readonly version: number;
      /** A version beside the Active one that waits for its activation. Edits then name its number in If-Match. */
      readonly draft: {
        readonly version: number;
        readonly status: 'Draft' | 'Validated';
      } | null;
      readonly createdBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly createdAt: string;
      readonly updatedBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly updatedAt: string;
      /** Whether you may run the Active version. */
      readonly canRun: boolean;
      /** Whether you may change the query or restore one of its versions. */
      readonly canEdit: boolean;
      readonly canValidate: boolean;
      readonly canActivate: boolean;
      readonly canDeactivate: boolean;
      readonly canVoid: boolean;
      /** Whether you may restore the query, which is Void, as a Draft. */
      readonly canRestore: boolean;
      readonly canDiscardDraft: boolean;
      /** What its author should know; left out where there is nothing. */
      readonly warnings?: readonly string[];
    };
  };
  /** Discard the draft that stands beside a query; what callers see stays */
  'DELETE /api/v1/queries/{id}/draft': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: null;
  };
  /** Let callers run the version that was validated */
  'POST /api/v1/queries/{id}/activate': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: {
      readonly id: string;
      /** Technical name; fixed from the first activation on. */
      readonly queryName: string;
      /** Display name. */
      readonly name: string;
      readonly description: string;
      readonly tip: string;
      /** Name of the database. */
      readonly database: string;
      readonly sql: string;
      readonly epilogue: string | null;
      readonly parameters: readonly {
        readonly name: string;
        readonly dataType: string;
        readonly required: boolean;
        readonly default?: string;
        readonly description?: string;
        readonly values?: readonly string[];
        readonly masked?: boolean;
      }[];
      readonly columns: readonly {
        readonly name: string;
        readonly displayName?: string;
        readonly type?: 'categorical' | 'numeric';
      }[];
      /** Names of the roles that may run it; none: every role. */
      readonly roles: readonly string[];
      readonly timeoutSeconds: number | null;
      readonly maxRows: number | null;
      readonly cacheSeconds: number | null;
      readonly aiAccess: boolean;
      readonly tags: readonly string[];
      /** Found by validation; null before it. */
      readonly resultColumns: readonly {
        /** As the database names it. */
        readonly name: string;
        /** What readers see. */
        readonly label: string;
        /** As the database spells it. */
        readonly type: string;
        readonly kind: string;
        readonly class: 'categorical' | 'numeric';
      }[] | null;
      readonly status: 'Draft' | 'Validated' | 'Active' | 'Inactive' | 'Void';
      /** Number of the version that is shown; also the ETag. */
      readonly version: number;
      /** A version beside the Active one that waits for its activation. Edits then name its number in If-Match. */
      readonly draft: {
        readonly version: number;
        readonly status: 'Draft' | 'Validated';
      } | null;
      readonly createdBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly createdAt: string;
      readonly updatedBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly updatedAt: string;
      /** Whether you may run the Active version. */
      readonly canRun: boolean;
      /** Whether you may change the query or restore one of its versions. */
      readonly canEdit: boolean;
      readonly canValidate: boolean;
      readonly canActivate: boolean;
      readonly canDeactivate: boolean;
      readonly canVoid: boolean;
      /** Whether you may restore the query, which is Void, as a Draft. */
      readonly canRestore: boolean;
      readonly canDiscardDraft: boolean;
    };
  };
  /** Stop callers from running it */
  'POST /api/v1/queries/{id}/deactivate': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: {
      readonly id: string;
      /** Technical name; fixed from the first activation on. */
      readonly queryName: string;
      /** Display name. */
      readonly name: string;
      readonly description: string;
      readonly tip: string;
      /** Name of the database. */
      readonly database: string;
      readonly sql: string;
      readonly epilogue: string | null;
      readonly parameters: readonly {
        readonly name: string;
        readonly dataType: string;
        readonly required: boolean;
        readonly default?: string;
        readonly description?: string;
        readonly values?: readonly string[];
        readonly masked?: boolean;
      }[];
      readonly columns: readonly {
        readonly name: string;
        readonly displayName?: string;
        readonly type?: 'categorical' | 'numeric';
      }[];
      /** Names of the roles that may run it; none: every role. */
      readonly roles: readonly string[];
      readonly timeoutSeconds: number | null;
      readonly maxRows: number | null;
      readonly cacheSeconds: number | null;
      readonly aiAccess: boolean;
      readonly tags: readonly string[];
      /** Found by validation; null before it. */
      readonly resultColumns: readonly {
        /** As the database names it. */
        readonly name: string;
        /** What readers see. */
        readonly label: string;
        /** As the database spells it. */
        readonly type: string;
        readonly kind: string;
        readonly class: 'categorical' | 'numeric';
      }[] | null;
      readonly status: 'Draft' | 'Validated' | 'Active' | 'Inactive' | 'Void';
      /** Number of the version that is shown; also the ETag. */
      readonly version: number;
      /** A version beside the Active one that waits for its activation. Edits then name its number in If-Match. */
      readonly draft: {
        readonly version: number;
        readonly status: 'Draft' | 'Validated';
      } | null;
      readonly createdBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly createdAt: string;
      readonly updatedBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly updatedAt: string;
      /** Whether you may run the Active version. */
      readonly canRun: boolean;
      /** Whether you may change the query or restore one of its versions. */
      readonly canEdit: boolean;
      readonly canValidate: boolean;
      readonly canActivate: boolean;
      readonly canDeactivate: boolean;
      readonly canVoid: boolean;
      /** Whether you may restore the query, which is Void, as a Draft. */
      readonly canRestore: boolean;
      readonly canDiscardDraft: boolean;
    };
  };
  /** Put a query away that is not Active */
  'POST /api/v1/queries/{id}/void': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: {
      readonly id: string;
      /** Technical name; fixed from the first activation on. */
      readonly queryName: string;
      /** Display name. */
      readonly name: string;
      readonly description: string;
      readonly tip: string;
      /** Name of the database. */
      readonly database: string;
      readonly sql: string;
      readonly epilogue: string | null;
      readonly parameters: readonly {
        readonly name: string;
        readonly dataType: string;
        readonly required: boolean;
        readonly default?: string;
        readonly description?: string;
        readonly values?: readonly string[];
        readonly masked?: boolean;
      }[];
      readonly columns: readonly {
        readonly name: string;
        readonly displayName?: string;
        readonly type?: 'categorical' | 'numeric';
      }[];
      /** Names of the roles that may run it; none: every role. */
      readonly roles: readonly string[];
      readonly timeoutSeconds: number | null;
      readonly maxRows: number | null;
      readonly cacheSeconds: number | null;
      readonly aiAccess: boolean;
      readonly tags: readonly string[];
      /** Found by validation; null before it. */
      readonly resultColumns: readonly {
        /** As the database names it. */
        readonly name: string;
        /** What readers see. */
        readonly label: string;
        /** As the database spells it. */
        readonly type: string;
        readonly kind: string;
        readonly class: 'categorical' | 'numeric';
      }[] | null;
      readonly status: 'Draft' | 'Validated' | 'Active' | 'Inactive' | 'Void';
      /** Number of the version that is shown; also the ETag. */
      readonly version: number;
      /** A version beside the Active one that waits for its activation. Edits then name its number in If-Match. */
      readonly draft: {
        readonly version: number;
        readonly status: 'Draft' | 'Validated';
      } | null;
      readonly createdBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly createdAt: string;
      readonly updatedBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly updatedAt: string;
      /** Whether you may run the Active version. */
      readonly canRun: boolean;
      /** Whether you may change the query or restore one of its versions. */
      readonly canEdit: boolean;
      readonly canValidate: boolean;
      readonly canActivate: boolean;
      readonly canDeactivate: boolean;
      readonly canVoid: boolean;
      /** Whether you may restore the query, which is Void, as a Draft. */
      readonly canRestore: boolean;
      readonly canDiscardDraft: boolean;
    };
  };
  /** Take a Void query back as a Draft */
  'POST /api/v1/queries/{id}/restore': {
    params: {
      /** The id of the resource. */
      readonly id: string;
    };
    response: {
      readonly id: string;
      /** Technical name; fixed from the first activation on. */
      readonly queryName: string;
      /** Display name. */
      readonly name: string;
      readonly description: string;
      readonly tip: string;
      /** Name of the database. */
      readonly database: string;
      readonly sql: string;
      readonly epilogue: string | null;
      readonly parameters: readonly {
        readonly name: string;
        readonly dataType: string;
        readonly required: boolean;
        readonly default?: string;
        readonly description?: string;
        readonly values?: readonly string[];
        readonly masked?: boolean;
      }[];
      readonly columns: readonly {
        readonly name: string;
        readonly displayName?: string;
        readonly type?: 'categorical' | 'numeric';
      }[];
      /** Names of the roles that may run it; none: every role. */
      readonly roles: readonly string[];
      readonly timeoutSeconds: number | null;
      readonly maxRows: number | null;
      readonly cacheSeconds: number | null;
      readonly aiAccess: boolean;
      readonly tags: readonly string[];
      /** Found by validation; null before it. */
      readonly resultColumns: readonly {
        /** As the database names it. */
        readonly name: string;
        /** What readers see. */
        readonly label: string;
        /** As the database spells it. */
        readonly type: string;
        readonly kind: string;
        readonly class: 'categorical' | 'numeric';
      }[] | null;
      readonly status: 'Draft' | 'Validated' | 'Active' | 'Inactive' | 'Void';
      /** Number of the version that is shown; also the ETag. */
      readonly version: number;
      /** A version beside the Active one that waits for its activation. Edits then name its number in If-Match. */
      readonly draft: {
        readonly version: number;
        readonly status: 'Draft' | 'Validated';
      } | null;
      readonly createdBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly createdAt: string;
      readonly updatedBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly updatedAt: string;
      /** Whether you may run the Active version. */
      readonly canRun: boolean;
      /** Whether you may change the query or restore one of its versions. */
      readonly canEdit: boolean;
      readonly canValidate: boolean;
      readonly canActivate: boolean;
      readonly canDeactivate: boolean;
      readonly canVoid: boolean;
      /** Whether you may restore the query, which is Void, as a Draft. */
      readonly canRestore: boolean;
      readonly canDiscardDraft: boolean;
    };
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
      /** `nextCursor` of the page before. */
      readonly cursor?: string | undefined;
      /** Part of the name, in any case. */
      readonly search?: string | undefined;
    };
    response: {
      readonly items: readonly {
        readonly version: number;
        /** Null: an earlier one. */
        readonly status: 'current' | 'draft' | null;
        readonly createdBy: string;
        /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
        readonly createdAt: string;
        /** Display name. */
        readonly name: string;
        readonly description: string;
        readonly tip: string;
        /** Name of the database. */
        readonly database: string;
        readonly sql: string;
        readonly epilogue: string | null;
        readonly parameters: readonly {
          readonly name: string;
          readonly dataType: string;
          readonly required: boolean;
          readonly default?: string;
          readonly description?: string;
          readonly values?: readonly string[];
          readonly masked?: boolean;
        }[];
        readonly columns: readonly {
          readonly name: string;
          readonly displayName?: string;
          readonly type?: 'categorical' | 'numeric';
        }[];
        /** Names of the roles that may run it; none: every role. */
        readonly roles: readonly string[];
        readonly timeoutSeconds: number | null;
        readonly maxRows: number | null;
        readonly cacheSeconds: number | null;
        readonly aiAccess: boolean;
        readonly tags: readonly string[];
        /** Found by validation; null before it. */
        readonly resultColumns: readonly {
          /** As the database names it. */
          readonly name: string;
          /** What readers see. */
          readonly label: string;
          /** As the database spells it. */
          readonly type: string;
          readonly kind: string;
          readonly class: 'categorical' | 'numeric';
        }[] | null;
      }[];
      /** Send it as `cursor` for the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** Take an earlier version up again, as an edit */
  'POST /api/v1/queries/{id}/versions/{version}/restore': {
    params: {
      /** The id of the resource. */
      readonly id: string;
      /** The number of the version. */
      readonly version: string;
    };
    response: {
      readonly id: string;
      /** Technical name; fixed from the first activation on. */
      readonly queryName: string;
      /** Display name. */
      readonly name: string;
      readonly description: string;
      readonly tip: string;
      /** Name of the database. */
      readonly database: string;
      readonly sql: string;
      readonly epilogue: string | null;
      readonly parameters: readonly {
        readonly name: string;
        readonly dataType: string;
        readonly required: boolean;
        readonly default?: string;
        readonly description?: string;
        readonly values?: readonly string[];
        readonly masked?: boolean;
      }[];
      readonly columns: readonly {
        readonly name: string;
        readonly displayName?: string;
        readonly type?: 'categorical' | 'numeric';
      }[];
      /** Names of the roles that may run it; none: every role. */
      readonly roles: readonly string[];
      readonly timeoutSeconds: number | null;
      readonly maxRows: number | null;
      readonly cacheSeconds: number | null;
      readonly aiAccess: boolean;
      readonly tags: readonly string[];
      /** Found by validation; null before it. */
      readonly resultColumns: readonly {
        /** As the database names it. */
        readonly name: string;
        /** What readers see. */
        readonly label: string;
        /** As the database spells it. */
        readonly type: string;
        readonly kind: string;
        readonly class: 'categorical' | 'numeric';
      }[] | null;
      readonly status: 'Draft' | 'Validated' | 'Active' | 'Inactive' | 'Void';
      /** Number of the version that is shown; also the ETag. */
      readonly version: number;
      /** A version beside the Active one that waits for its activation. Edits then name its number in If-Match. */
      readonly draft: {
        readonly version: number;
        readonly status: 'Draft' | 'Validated';
      } | null;
      readonly createdBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly createdAt: string;
      readonly updatedBy: string;
      /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
      readonly updatedAt: string;
      /** Whether you may run the Active version. */
      readonly canRun: boolean;
      /** Whether you may change the query or restore one of its versions. */
      readonly canEdit: boolean;
      readonly canValidate: boolean;
      readonly canActivate: boolean;
      readonly canDeactivate: boolean;
      readonly canVoid: boolean;
      /** Whether you may restore the query, which is Void, as a Draft. */
      readonly canRestore: boolean;
      readonly canDiscardDraft: boolean;
    };
  };
  /** The audit trail, newest first */
  'GET /api/v1/audit': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the page before. */
      readonly cursor?: string | undefined;
      /** Not before this time; a date means its beginning (UTC). */
      readonly from?: string | undefined;
      /** Not after this time; a date means its end (UTC). */
      readonly to?: string | undefined;
      /** Name of the user. */
      readonly user?: string | undefined;
      /** Technical name of the query. */
      readonly query?: string | undefined;
      readonly channel?: '' | 'rest' | 'chart' | 'export' | 'embed' | 'mcp' | 'ui' | 'management' | undefined;
      readonly outcome?: '' | 'ok' | 'refused' | 'failed' | 'cancelled' | undefined;
      readonly requestId?: string | undefined;
      /** Part of the user name, full name, key, action, query, error word, address, client or request id. */
      readonly search?: string | undefined;
      /** `csv`, `ndjson`: everything that the filters let through, as a file. */
      readonly format?: 'json' | 'csv' | 'ndjson' | undefined;
    };
    response: {
      readonly items: readonly {
        /** When the call began. */
        readonly at: string;
        readonly requestId: string;
        /** Name of the user; of a failed sign-in the name that was tried. */
        readonly user: string | null;
        /** Name of the API key that was used. */
        readonly apiKey: string | null;
        /** For example `query.execute` or `user.create`. */
        readonly action: string;
        /** Technical name of the query. */
        readonly query: string | null;
        readonly queryVersion: number | null;
        /** Parameters of the query, or what was changed. */
        readonly parameters: Readonly<Record<string, unknown>> | null;
        readonly channel: 'rest' | 'chart' | 'export' | 'embed' | 'mcp' | 'ui' | 'management';
        readonly outcome: 'ok' | 'refused' | 'failed' | 'cancelled';
        /** HTTP status of the answer. */
        readonly status: number;
        /** The stable word of what went wrong, as in the answer’s `code`; null where nothing did. */
        readonly error: string | null;
        readonly rows: number | null;
        readonly bytes: number | null;
        readonly durationMs: number;
        readonly address: string;
        readonly client: string | null;
        /** True where the rows are those of an identical call before, and the query was not run. */
        readonly cached: boolean;
      }[];
      /** Send it as `cursor` for the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
  };
  /** What runs now: my queries, for an Administrator everyone’s */
  'GET /api/v1/executions': {
    query: {
      /** Items of a page, 1 to 1000. */
      readonly limit?: number | undefined;
      /** `nextCursor` of the page before. */
      readonly cursor?: string | undefined;
      /** Part of the name, in any case. */
      readonly search?: string | undefined;
    };
    response: {
      readonly items: readonly {
        readonly id: string;
        /** Technical name of the query; of SQL that is not saved, `(preview on <database>)`. */
        readonly query: string;
        readonly user: string;
        readonly channel: 'rest' | 'chart' | 'export' | 'embed' | 'mcp' | 'ui' | 'management';
        /** ISO 8601, UTC: `2026-11-15T10:00:00.000Z`. */
        readonly startedAt: string;
        /** Rows that came from the database so far. */
        readonly rows: number;
        readonly state: 'waiting' | 'running' | 'draining' | 'cancelling';
      }[];
      /** Send it as `cursor` for the next page; null on the last one. */
      readonly nextCursor: string | null;
    };
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
