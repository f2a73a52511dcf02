#!lua
-- Takes a unit over: from now on commits under any other token are fenced.
--
-- KEYS  1        the unit's hash
-- ARGV  1 token  of this claim
--
-- Answers all fields as they stood before, as field, value, field, value ...; nothing for a unit that is new. Or an
-- error, and then nothing was written: WRONGTYPE, BADSTATE (the stored number is none), NOPERM, or what the server
-- refuses scripts with.

local unit, token = KEYS[1], ARGV[1]

-- A command that is refused would end the script without a word on which it was.
for _, asked in ipairs({ { 'TYPE', unit }, { 'HGETALL', unit }, { 'HMGET', unit, 'seq' }, { 'HSET', unit, 'seq', '0' } }) do
  if not redis.acl_check_cmd(unpack(asked)) then
    return redis.error_reply('NOPERM ' .. asked[1] .. ' on the unit is not allowed')
  end
end
local found = redis.call('TYPE', unit).ok
if found ~= 'hash' and found ~= 'none' then
  return redis.error_reply('WRONGTYPE ' .. unit .. ' holds a ' .. found .. ', not a unit')
end
local before = redis.call('HGETALL', unit)
local stored = redis.call('HMGET', unit, 'seq', 'cid')
local seq, cid = stored[1] or '0', stored[2] or ''
-- Up to 15 digits a number of JavaScript keeps them all.
if not string.find(seq, '^%d+$') or (string.find(seq, '^0') and seq ~= '0') or #seq > 15 then
  return redis.error_reply('BADSTATE the unit\'s number of commits is no number')
end
redis.call('HSET', unit, 'token', token, 'seq', seq, 'cid', cid)
return before
