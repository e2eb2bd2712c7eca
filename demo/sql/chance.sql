-- Chance that comes out the same every time: a number from 0 up to 1 for a key and a purpose.
-- Hashed twice, since hash(key, purpose) alone would only flip the same bits of every key and so tie the purposes together.
CREATE TEMP MACRO chance(key, purpose) AS (hash(hash(key, purpose)) >> 11)::DOUBLE / 9007199254740992;
CREATE TEMP MACRO pick(choices, key, purpose) AS choices[1 + floor(chance(key, purpose) * len(choices))::INTEGER];

-- About how long until something happens that happens every `mean` on average.
CREATE TEMP MACRO wait(mean, key, purpose) AS -ln(1 - chance(key, purpose)) * mean;
