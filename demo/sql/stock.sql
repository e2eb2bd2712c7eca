-- The stock of each product in each store falls from its maximum at a pace of its own and is then filled up.
INSERT INTO daily_stock
WITH sold_most AS (
  SELECT product_id, row_number() OVER (ORDER BY appeal DESC, product_id) AS place
  FROM articles JOIN products USING (product_id, launched) WHERE discontinued IS NULL
  ORDER BY place LIMIT 40
), shelf AS (
  SELECT store_id, product_id, store_id * 1000 + product_id AS key,
         (0.4 + 3.2 / place ** 0.6) * area_sqm / 1400.0 * (0.7 + 0.6 * chance(store_id * 1000 + product_id, 'pace')) AS pace
  FROM sold_most, stores
), cycle AS (
  SELECT *, 9 + floor(12 * chance(key, 'cycle'))::INTEGER AS days, 1 + floor(3 * chance(key, 'lead'))::INTEGER AS lead_days FROM shelf
), day AS (
  SELECT day::DATE AS day, date_diff('day', DATE '2025-07-01', day::DATE) AS number,
         [0.85, 0.9, 1.0, 1.05, 1.2, 1.35][month(day) - 6] AS season
  FROM range(TIMESTAMP '2025-07-01', TIMESTAMP '2026-01-01', INTERVAL 1 DAY) AS days (day)
), position AS (
  SELECT *, (number + floor(chance(key, 'phase') * days)::INTEGER) % days AS age, pace * days * 1.25 + 2 AS upper FROM cycle, day
)
SELECT day, store_id, product_id,
       greatest(0, round(upper - pace * season * (age + 0.6 * chance(key * 400 + number, 'daily'))))::SMALLINT,
       ceil((upper - pace * (days - lead_days)) * 0.75)::SMALLINT,
       CASE WHEN days - age <= lead_days THEN round(upper * 0.8) ELSE 0 END::SMALLINT
FROM position
ORDER BY day, store_id, product_id;
