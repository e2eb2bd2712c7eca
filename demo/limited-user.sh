#!/usr/bin/env bash
# Makes an example of rows by caller in a running demo: the query "My region" and the user region-north, who sees one region of it.
# usage: SLUICE=http://127.0.0.1:8080 ADMIN_PASSWORD=… demo/limited-user.sh
set -euo pipefail
: "${SLUICE:=http://127.0.0.1:8080}" "${ADMIN_PASSWORD:?Set it to the password of admin.}"
: "${USER_PASSWORD:=$(head -c 18 /dev/urandom | base64 | tr -d '+/=')}"

send() { # method path [body]
  curl -sS --fail-with-body -u "admin:$ADMIN_PASSWORD" -X "$1" "$SLUICE/api/v1/$2" -H 'Content-Type: application/json' ${3:+-d "$3"}
}
id_of() { grep -oE '"id":"[^"]+' | head -n 1 | cut -d'"' -f4; }

send POST users '{
  "username": "region-north", "password": "'"$USER_PASSWORD"'", "fullName": "Nora North",
  "roles": ["Query User"], "databases": ["Demo"], "attributes": {"region": "Northern Europe"}
}' > /dev/null

query=$(send POST queries '{
  "name": "My region", "database": "Demo",
  "description": "Net revenue by store of the region of the caller.",
  "sql": "select st.city, sum(s.net_revenue) as net_revenue from sales s join stores st using (store_id) where st.region = @Region and s.order_date >= @Since group by st.city order by 2 desc",
  "parameters": [
    {"name": "@Region", "dataType": "nvarchar(50)", "boundTo": "user.attributes.region"},
    {"name": "@Since", "dataType": "date", "default": "year-start-10y"}
  ]
}' | id_of)
send POST "queries/$query/validate" > /dev/null
send POST "queries/$query/activate" > /dev/null

echo "user region-north, password $USER_PASSWORD"
curl -sS --fail-with-body -u "region-north:$USER_PASSWORD" "$SLUICE/api/query/execute/QD_My_region_Demo" -X POST
echo
